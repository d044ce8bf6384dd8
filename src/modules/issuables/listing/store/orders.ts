import { type RawBuilder, sql } from 'kysely'
import { within } from '../../../../infra/database/index.ts'
import type { Direction, Order } from '../params.ts'
import type { ListContext } from './filter.ts'
import { milestoneDue } from './plans.ts'

/** The values by which a list is ordered, before the id. */
type Keys = readonly RawBuilder<unknown>[]

/**
 * The place of rows that were never moved by hand: that of their id, so new ones come last. Exactly the expression of the
 * indexes.
 */
export const manualPosition = (table: string) =>
  sql`coalesce(${sql.ref(`${table}.relative_position`)}, ${sql.ref(`${table}.id`)} * 1024.0)`

/** The smallest priority of the row's labels in its project; labels of the filter do not count (contract 16, `order_by`). */
export function labelPriority({ db, target }: ListContext, ignored: readonly string[]): RawBuilder<unknown> {
  const counted =
    ignored.length === 0
      ? sql``
      : sql`and not exists (
    select 1 from labels named where named.id = ranked.label_id and ${within(db, 'named.title', ignored)})`
  return sql`(select min(ranked.priority) from issuable_labels linked
    join label_priorities ranked on ranked.label_id = linked.label_id
    where linked.issuable_type = ${sql.lit(target.type)} and linked.issuable_id = ${sql.ref(`${target.table}.id`)}
    and ranked.project_id = ${sql.ref(`${target.table}.project_id`)} ${counted})`
}

const upvotes = ({ target }: ListContext): RawBuilder<unknown> =>
  sql`coalesce((select voted.upvotes from award_votes voted where voted.noteable_type = ${sql.lit(target.type)}
    and voted.noteable_id = ${sql.ref(`${target.table}.id`)}), 0)`

function keysOf(context: ListContext, order: Order, ignoredLabels: readonly string[]): Keys {
  const { table } = context.target
  const column = (name: string) => sql.ref(`${table}.${name}`)
  switch (order) {
    case 'id':
      return []
    case 'milestone_due':
      return [milestoneDue(context)]
    case 'title':
      return [sql`lower(${column('title')})`]
    case 'popularity':
      return [upvotes(context)]
    case 'label_priority':
      return [labelPriority(context, ignoredLabels)]
    case 'priority':
      return [milestoneDue(context), labelPriority(context, ignoredLabels)]
    case 'relative_position':
      return [manualPosition(table)]
    default:
      return [column(order)]
  }
}

/** The value by which a list is ordered, where an index has that order; undefined for other orders. No index orders epics of many groups. */
export function indexedKey(context: ListContext, order: Order): RawBuilder<unknown> | undefined {
  if (context.target.table === 'epics') return undefined
  return order === 'popularity' || !complete.includes(order) ? undefined : keysOf(context, order, [])[0]
}

/** Orders of which every row has a value. An index serves those only without `nulls last`. */
const complete: readonly Order[] = ['created_at', 'updated_at', 'title', 'popularity', 'relative_position']

/**
 * The text after `order by`. Rows without a value come last in both directions; ties are broken by the id, the newest first
 * in both directions (contract 16, `order_by`).
 * @param ignoredLabels titles that do not count for priorities
 */
export function orderBy(
  context: ListContext,
  order: Order,
  sort: Direction,
  ignoredLabels: readonly string[],
): RawBuilder<unknown> {
  return textOf(order, sort, keysOf(context, order, ignoredLabels), context.target.table)
}

function textOf(order: Order, sort: Direction, keys: Keys, table: string): RawBuilder<unknown> {
  const id = sql.ref(`${table}.id`)
  if (order === 'id') return sql`${id} ${sql.raw(sort)}`
  const direction = sql.raw(complete.includes(order) ? sort : `${sort} nulls last`)
  return sql.join([...keys.map((key) => sql`${key} ${direction}`), sql`${id} desc`])
}

/** The values of an order as columns of a sub-query, which also has the id, and the text after `order by` for it. */
export function keyColumns(context: ListContext, order: Order, sort: Direction, ignoredLabels: readonly string[]) {
  const keys = keysOf(context, order, ignoredLabels)
  const columns = keys.map((key, index) => sql`${key} as ${sql.ref(`key_${index}`)}`)
  const named = (table: string) => keys.map((_, index) => sql.ref(`${table}.key_${index}`))
  return { columns, orderBy: (table: string) => textOf(order, sort, named(table), table) }
}

/** The rows after the last one of the previous page, in the orders of keyset pages. */
export function behind(
  { target }: ListContext,
  order: Order,
  sort: Direction,
  [value, lastId]: readonly unknown[],
): RawBuilder<boolean> {
  const id = sql.ref(`${target.table}.id`)
  const beyond = sql.raw(sort === 'asc' ? '>' : '<')
  if (order === 'id') return sql<boolean>`${id} ${beyond} ${value}`
  const column = sql.ref(`${target.table}.${order}`)
  return sql<boolean>`(${column} ${beyond}= ${value} and (${column} ${beyond} ${value} or ${id} < ${lastId}))`
}
