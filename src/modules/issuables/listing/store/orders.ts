import { type RawBuilder, sql } from 'kysely'
import {
  type Condition,
  type Direction,
  idOf,
  isFound,
  nullsLast,
  type Order,
  type Segment,
  walk,
  walkById,
  walkNullsLast,
  within,
} from '../../../../infra/database/index.ts'
import type { IssuableContext } from '../context.ts'
import type { OrderName } from '../params.ts'

/** How a list is ordered. @property ignoredLabels titles of the filter `labels`, which do not count for priorities */
export type Ordering = { order: OrderName; sort: Direction; ignoredLabels: readonly string[] }

type OrderOf = (context: IssuableContext, direction: Direction, ignoredLabels: readonly string[]) => Order

const newestFirst = (context: IssuableContext) => sql`${idOf(context)} desc`

/**
 * The place of rows that were never moved by hand: that of their id, so new ones come last. Exactly the expression of the
 * indexes.
 */
export const manualPosition = (table: string): RawBuilder<unknown> =>
  sql`coalesce(${sql.ref(`${table}.relative_position`)}, ${sql.ref(`${table}.id`)} * 1024.0)`

/** The due date of the row's milestone. */
const milestoneDue = ({ table }: IssuableContext): RawBuilder<unknown> =>
  sql`(select plan.due_date from milestones plan where plan.id = ${sql.ref(`${table}.milestone_id`)})`

/** Without the labels that the list is filtered by. @param label the column with the id of a label */
const isCounted = ({ db }: IssuableContext, ignored: readonly string[], label: string): RawBuilder<unknown> =>
  ignored.length === 0
    ? sql``
    : sql`and not exists (
    select 1 from labels named where named.id = ${sql.ref(label)} and ${within(db, 'named.title', ignored)})`

/** The smallest priority of the row's labels in its project (contract 16, `order_by`). */
function labelPriority(context: IssuableContext, ignored: readonly string[]): RawBuilder<unknown> {
  const { table, type } = context
  return sql`(select min(ranked.priority) from issuable_labels linked
    join label_priorities ranked on ranked.label_id = linked.label_id
    where linked.issuable_type = ${sql.lit(type)} and linked.issuable_id = ${idOf(context)}
    and ranked.project_id = ${sql.ref(`${table}.project_id`)} ${isCounted(context, ignored, 'ranked.label_id')})`
}

/** Most issuables have no vote, and are first or last. */
const popularity: OrderOf = (context, direction) => {
  const { db, type, parent } = context
  const ofType = sql`voted.noteable_type = ${sql.lit(type)}`
  const ofRow = sql`${ofType} and voted.noteable_id = ${idOf(context)}`
  const inProject = parent ? sql`and voted.project_id = ${parent.id}` : sql``
  const voted: Segment = {
    holds: null,
    driving: {
      table: sql`award_votes voted`,
      on: sql<boolean>`${ofType} ${inProject} and voted.noteable_id = ${idOf(context)}`,
    },
    orderBy: sql`voted.upvotes ${sql.raw(direction)}, voted.noteable_id desc`,
  }
  const others: Segment = {
    holds: sql<boolean>`not ${isFound(db, sql`award_votes voted where ${ofRow}`)}`,
    orderBy: newestFirst(context),
  }
  return {
    keys: [sql`coalesce((select voted.upvotes from award_votes voted where ${ofRow}), 0)`],
    towards: sql.raw(direction),
    segments: direction === 'desc' ? [voted, others] : [others, voted],
  }
}

/** Milestones in the order of their due dates, each with its issuables; then those that have no such milestone. */
const byMilestoneDue: OrderOf = (context, direction) => {
  const due = milestoneDue(context)
  const ranked = {
    rows: sql`(select plan.id, plan.due_date from milestones plan where plan.due_date is not null) ranked`,
    orderBy: sql`ranked.due_date ${sql.raw(direction)}, ${newestFirst(context)}`,
    member: sql<boolean>`${sql.ref(`${context.table}.milestone_id`)} = ranked.id`,
  }
  return {
    keys: [due],
    towards: nullsLast(direction),
    segments: [
      { holds: sql<boolean>`${due} is not null`, ranked, orderBy: newestFirst(context) },
      { holds: sql<boolean>`${due} is null`, orderBy: newestFirst(context) },
    ],
  }
}

/** Labels in the order of their priorities, each with the issuables of which it has the smallest priority; then the others. */
const byLabelPriority: OrderOf = (context, direction, ignored) => {
  const { type, parent } = context
  const priority = labelPriority(context, ignored)
  const ofType = (table: string) => sql`${sql.ref(`${table}.issuable_type`)} = ${sql.lit(type)}`
  const inProject = parent ? sql`where priorities.project_id = ${parent.id}` : sql``
  const ranked = {
    rows: sql`(select priorities.project_id, priorities.label_id, priorities.priority
      from label_priorities priorities ${inProject}) ranked`,
    orderBy: sql`ranked.priority ${sql.raw(direction)}, ${newestFirst(context)}`,
    driving: {
      table: sql`issuable_labels linked`,
      on: sql<boolean>`linked.label_id = ranked.label_id and linked.project_id = ranked.project_id
        and ${ofType('linked')} and linked.issuable_id = ${idOf(context)}`,
    },
    member: sql<boolean>`not exists (select 1 from issuable_labels other
      join label_priorities better on better.label_id = other.label_id and better.project_id = ranked.project_id
      where ${ofType('other')} and other.issuable_id = ${idOf(context)}
      and (better.priority < ranked.priority or better.priority = ranked.priority and better.label_id < ranked.label_id)
      ${isCounted(context, ignored, 'better.label_id')}) ${isCounted(context, ignored, 'ranked.label_id')}`,
  }
  return {
    keys: [priority],
    towards: nullsLast(direction),
    segments: [
      { holds: sql<boolean>`${priority} is not null`, ranked, orderBy: sql`linked.issuable_id desc` },
      { holds: sql<boolean>`${priority} is null`, orderBy: newestFirst(context) },
    ],
  }
}

/** By the due dates of milestones, then by the priorities of labels. */
const byPriority: OrderOf = (context, direction, ignored) => {
  const due = milestoneDue(context)
  const priority = labelPriority(context, ignored)
  // One milestone after the other is sorted until the page is full.
  const planned: Segment = {
    holds: null,
    driving: {
      table: sql`milestones planned`,
      on: sql<boolean>`planned.due_date is not null and ${sql.ref(`${context.table}.milestone_id`)} = planned.id`,
    },
    orderBy: sql`planned.due_date ${sql.raw(direction)}, ${priority} ${sql.raw(direction)} nulls last,
      ${newestFirst(context)}`,
  }
  const isUnplanned = (condition: Condition) => sql<boolean>`(${condition} and ${due} is null)`
  const others = byLabelPriority(context, direction, ignored).segments.map(({ holds, ranked, ...segment }) => ({
    ...segment,
    holds: isUnplanned(holds ?? sql<boolean>`1 = 1`),
    ...(ranked && { ranked: { ...ranked, member: isUnplanned(ranked.member) } }),
  }))
  return { keys: [due, priority], towards: nullsLast(direction), segments: [planned, ...others] }
}

const walkColumn = (name: string) => walk(({ table }) => sql.ref(`${table}.${name}`))

/** The orders of issuables (contract 16, `order_by`); `id` in keyset pages only. */
const orders: Record<OrderName, OrderOf> = {
  id: walkById,
  created_at: walkColumn('created_at'),
  updated_at: walkColumn('updated_at'),
  title: walk(({ table }) => sql`lower(${sql.ref(`${table}.title`)})`),
  relative_position: walk(({ table }) => manualPosition(table)),
  due_date: walkNullsLast('due_date'),
  weight: walkNullsLast('weight'),
  merged_at: walkNullsLast('merged_at'),
  popularity,
  milestone_due: byMilestoneDue,
  label_priority: byLabelPriority,
  priority: byPriority,
}

/** The order of a list. No index orders epics of many groups. */
export function orderOf(context: IssuableContext, { order, sort, ignoredLabels }: Ordering): Order {
  const { walked, ...made } = orders[order](context, sort, ignoredLabels)
  return walked && context.type !== 'Epic' ? { ...made, walked } : made
}

/** The rows after the last one of the previous page, in the orders of keyset pages. */
export function behind(
  { table }: IssuableContext,
  { order, sort }: Pick<Ordering, 'order' | 'sort'>,
  [value, lastId]: readonly unknown[],
): Condition {
  const id = sql.ref(`${table}.id`)
  const beyond = sql.raw(sort === 'asc' ? '>' : '<')
  if (order === 'id') return sql<boolean>`${id} ${beyond} ${value}`
  const column = sql.ref(`${table}.${order}`)
  return sql<boolean>`(${column} ${beyond}= ${value} and (${column} ${beyond} ${value} or ${id} < ${lastId}))`
}
