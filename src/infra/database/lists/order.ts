import { type RawBuilder, sql } from 'kysely'
import { unindexed } from '../portable.ts'
import { type DrivingTable, idOf, type ListContext } from './predicate.ts'
import type { Condition } from './reading.ts'

export type Direction = 'asc' | 'desc'

/** Rows of a small table in the order of the list, each of which has some rows of the list: milestones, labels, projects. */
export type Ranked = {
  /** The text after `from`. */
  rows: RawBuilder<unknown>
  /** The order of the rows of the list: the text after `order by`. */
  orderBy: RawBuilder<unknown>
  /** Whether a row of the list belongs to the ranked row. Each belongs to at most one. */
  member: Condition
  driving?: DrivingTable
  /** By what it is known which ranked rows a page may have: the name of `rows`, and the first key of `orderBy`. */
  first?: { named: string; key: RawBuilder<unknown>; direction: Direction }
}

/**
 * Rows of a list that follow each other. An index has the order of each segment, but not that of the whole list, in which rows without a
 * value are last in both directions.
 */
export type Segment = {
  /** Which rows are in it; null for all. */
  holds: Condition | null
  /** The text after `order by`. */
  orderBy: RawBuilder<unknown>
  driving?: DrivingTable
  /** How its rows are found, instead of by `holds`. */
  ranked?: Ranked
}

/** The values by which rows are sorted, and then their ids: among equals the newest is first in both directions. */
export type SortKeys = {
  keys: readonly RawBuilder<unknown>[]
  /** The same values, read from the parent of a row where parents find the rows. */
  keysOfParent?: readonly RawBuilder<unknown>[]
  /** The direction of each key: the text after it. */
  towards: RawBuilder<unknown>
  /** The direction of the ids; default: descending. */
  idDirection?: Direction
}

/** An order of a list. Rows without a value are last in both directions. */
export type Order = SortKeys & {
  /** The key by which an index has the rows of the first segment in this order, and its direction. */
  walked?: { key: RawBuilder<unknown>; direction: Direction }
  /** None where no index has the order: all rows are found and sorted. */
  segments: readonly Segment[]
}

/** Makes an order of a list in a direction. */
export type OrderOf<Context extends ListContext> = (context: Context, direction: Direction) => Order

const newestFirst = (context: ListContext) => sql`${idOf(context)} desc`

/** The text after `order by`. @param table the name of the rows, whose ids are sorted at last */
export function orderBy({ keys, towards, idDirection = 'desc' }: SortKeys, table: string): RawBuilder<unknown> {
  const id = sql`${idOf({ table })} ${sql.raw(idDirection)}`
  return sql.join([...keys.map((key) => sql`${key} ${towards}`), id])
}

/**
 * The keys of an order as columns of a sub-query, which also has the id, and the text after `order by` for it.
 * @param hasParents whether the sub-query reads the parents of the rows
 */
export function keyColumns(order: SortKeys, hasParents: boolean) {
  const keys = (hasParents && order.keysOfParent) || order.keys
  const columns = keys.map((key, index) => sql`${key} as ${sql.ref(`key_${index}`)}`)
  const named = (table: string) => keys.map((_, index) => sql.ref(`${table}.key_${index}`))
  return { columns, orderBy: (table: string) => orderBy({ ...order, keys: named(table) }, table) }
}

/**
 * By a value that every row has. An index has all rows in this order.
 * @param ids among equals the ids descend, ascend, or follow the direction of the list
 */
export function walk(
  keyOf: (context: ListContext) => RawBuilder<unknown>,
  ids: 'descend' | 'ascend' | 'follow' = 'descend',
): OrderOf<ListContext> {
  return (context, direction) => {
    const key = keyOf(context)
    const idDirection = { descend: 'desc', ascend: 'asc', follow: direction }[ids] as Direction
    const order = { keys: [key], towards: sql.raw(direction), idDirection }
    const segments = [{ holds: null, orderBy: orderBy(order, context.table) }]
    return { ...order, walked: { key, direction }, segments }
  }
}

/** By a column that every row has, and then by the id: in the same direction, or always ascending. */
export const walkColumn = (name: string, ids: 'ascend' | 'follow' = 'follow'): OrderOf<ListContext> =>
  walk(({ table }) => sql.ref(`${table}.${name}`), ids)

/** The direction of keys that rows may lack. An index serves only orders without `nulls last`. */
export const nullsLast = (direction: Direction): RawBuilder<unknown> => sql.raw(`${direction} nulls last`)

/** By a column in which rows may have no value: those with one, which an index has in order, and then the others. */
export const walkNullsLast =
  (name: string): OrderOf<ListContext> =>
  (context, direction) => {
    const column = sql.ref(`${context.table}.${name}`)
    const hasValue = sql<boolean>`${column} is not null`
    const hasNone = sql<boolean>`${unindexed(context.db, `${context.table}.${name}`)} is null`
    return {
      keys: [column],
      towards: nullsLast(direction),
      segments: [
        { holds: hasValue, orderBy: sql`${column} ${sql.raw(direction)}, ${newestFirst(context)}` },
        { holds: hasNone, orderBy: newestFirst(context) },
      ],
    }
  }

/** By the id, for keyset pages. */
export const walkById: OrderOf<ListContext> = (context, direction) => {
  const order = { keys: [], towards: sql``, idDirection: direction }
  return { ...order, segments: [{ holds: null, orderBy: orderBy(order, context.table) }] }
}
