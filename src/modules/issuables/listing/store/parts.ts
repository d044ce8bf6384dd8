import { type RawBuilder, sql } from 'kysely'
import { within } from '../../../../infra/database/index.ts'
import type { Direction, Order } from '../params.ts'
import { type Condition, checked, exists, type First, type ListContext, rowId } from './filter.ts'
import { labelPriority, orderBy } from './orders.ts'
import { milestoneDue } from './plans.ts'

/** Rows of a small table, each of which has issuables: milestones, labels, projects. */
export type Ranks = {
  /** The text after `from`. */
  rows: RawBuilder<unknown>
  /** The order of all their issuables: the text after `order by`. */
  order: RawBuilder<unknown>
  /** Whether a row of the list belongs to the rank. Each belongs to at most one. */
  member: Condition
  first?: First
}

/**
 * Rows of a list that follow each other. An index has the order of each part, but not that of the whole list, in which rows
 * without a value are last in both directions.
 */
export type Part = {
  /** Which rows are in it; null for all. */
  matches: Condition | null
  /** The text after `order by`. */
  order: RawBuilder<unknown>
  first?: First
  /** How the rows are found, instead of by `matches`. */
  ranks?: Ranks
}

/** How a list is ordered. */
export type ListOrder = { order: Order; sort: Direction; ignoredLabels: readonly string[] }

const newestFirst = (context: ListContext) => sql`${rowId(context)} desc`

/** Rows with a value in the order of the values, then those without. */
function byColumn(context: ListContext, name: string, sort: Direction): Part[] {
  const column = sql.ref(`${context.target.table}.${name}`)
  return [
    { matches: sql<boolean>`${column} is not null`, order: sql`${column} ${sql.raw(sort)}, ${newestFirst(context)}` },
    { matches: sql<boolean>`${checked(context, name)} is null`, order: newestFirst(context) },
  ]
}

/** Most issuables have no vote, and are first or last. */
function byPopularity(context: ListContext, sort: Direction): Part[] {
  const { target, projectId } = context
  const inProject = projectId === undefined ? sql`` : sql`and voted.project_id = ${projectId}`
  const ofType = sql`voted.noteable_type = ${sql.lit(target.type)}`
  const voted: Part = {
    matches: null,
    first: {
      table: sql`award_votes voted`,
      on: sql<boolean>`${ofType} ${inProject} and voted.noteable_id = ${rowId(context)}`,
    },
    order: sql`voted.upvotes ${sql.raw(sort)}, voted.noteable_id desc`,
  }
  const others: Part = {
    matches: sql<boolean>`not ${exists(context, sql`award_votes voted where ${ofType} and voted.noteable_id = ${rowId(context)}`)}`,
    order: newestFirst(context),
  }
  return sort === 'desc' ? [voted, others] : [others, voted]
}

/** Milestones in the order of their due dates, each with its issuables; then those that have no such milestone. */
function byMilestoneDue(context: ListContext, sort: Direction): Part[] {
  const ranks: Ranks = {
    rows: sql`(select plan.id, plan.due_date from milestones plan where plan.due_date is not null) ranked`,
    order: sql`ranked.due_date ${sql.raw(sort)}, ${newestFirst(context)}`,
    member: sql<boolean>`${sql.ref(`${context.target.table}.milestone_id`)} = ranked.id`,
  }
  const due = milestoneDue(context)
  return [
    { matches: sql<boolean>`${due} is not null`, ranks, order: newestFirst(context) },
    { matches: sql<boolean>`${due} is null`, order: newestFirst(context) },
  ]
}

/** Labels in the order of their priorities, each with the issuables of which it has the smallest priority; then the others. */
function byLabelPriority(context: ListContext, sort: Direction, ignored: readonly string[]): Part[] {
  const { db, target, projectId } = context
  const id = rowId(context)
  const counted = (label: string) =>
    ignored.length === 0
      ? sql``
      : sql`and not exists (
    select 1 from labels named where named.id = ${sql.ref(label)} and ${within(db, 'named.title', ignored)})`
  const ofType = (table: string) => sql`${sql.ref(`${table}.issuable_type`)} = ${sql.lit(target.type)}`
  const inProject = projectId === undefined ? sql`` : sql`where priorities.project_id = ${projectId}`
  const ranks: Ranks = {
    rows: sql`(select priorities.project_id, priorities.label_id, priorities.priority
      from label_priorities priorities ${inProject}) ranked`,
    order: sql`ranked.priority ${sql.raw(sort)}, ${newestFirst(context)}`,
    first: {
      table: sql`issuable_labels linked`,
      on: sql<boolean>`linked.label_id = ranked.label_id and linked.project_id = ranked.project_id
        and ${ofType('linked')} and linked.issuable_id = ${id}`,
    },
    member: sql<boolean>`not exists (select 1 from issuable_labels other
      join label_priorities better on better.label_id = other.label_id and better.project_id = ranked.project_id
      where ${ofType('other')} and other.issuable_id = ${id}
      and (better.priority < ranked.priority or better.priority = ranked.priority and better.label_id < ranked.label_id)
      ${counted('better.label_id')}) ${counted('ranked.label_id')}`,
  }
  const priority = labelPriority(context, ignored)
  return [
    { matches: sql<boolean>`${priority} is not null`, ranks, order: sql`linked.issuable_id desc` },
    { matches: sql<boolean>`${priority} is null`, order: newestFirst(context) },
  ]
}

/** The parts of a list in its order, each of which an index serves. */
export function partsOf(context: ListContext, { order, sort, ignoredLabels }: ListOrder): Part[] {
  switch (order) {
    case 'due_date':
    case 'weight':
    case 'merged_at':
      return byColumn(context, order, sort)
    case 'popularity':
      return byPopularity(context, sort)
    case 'milestone_due':
      return byMilestoneDue(context, sort)
    case 'label_priority':
      return byLabelPriority(context, sort, ignoredLabels)
    case 'priority': {
      const due = milestoneDue(context)
      // One milestone after the other is sorted until the page is full.
      const planned: Part = {
        matches: null,
        first: {
          table: sql`milestones planned`,
          on: sql<boolean>`planned.due_date is not null and ${sql.ref(`${context.target.table}.milestone_id`)} = planned.id`,
        },
        order: sql`planned.due_date ${sql.raw(sort)}, ${labelPriority(context, ignoredLabels)} ${sql.raw(sort)} nulls last,
          ${newestFirst(context)}`,
      }
      const isUnplanned = (condition: Condition) => sql<boolean>`(${condition} and ${due} is null)`
      const others = byLabelPriority(context, sort, ignoredLabels).map(({ matches, ranks, ...part }) => ({
        ...part,
        matches: isUnplanned(matches ?? sql<boolean>`1 = 1`),
        ...(ranks && { ranks: { ...ranks, member: isUnplanned(ranks.member) } }),
      }))
      return [planned, ...others]
    }
    default:
      return [{ matches: null, order: orderBy(context, order, sort, ignoredLabels) }]
  }
}
