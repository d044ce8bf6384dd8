import { type RawBuilder, sql } from 'kysely'
import type { Dialect } from './dialect.ts'

/** A column by which lists are ordered, rows without a value last, and then by the id. */
type OrderIndex = {
  name: string
  table: string
  column: string
  /** The column that restricts the list, such as that of the project. */
  of?: string
  /** Further columns that lists compare. */
  also?: readonly string[]
}

function create({ name, table, of, also = [] }: OrderIndex, keys: string): RawBuilder<unknown> {
  return sql.raw(`create index ${name} on ${table} (${[...(of ? [of] : []), keys, ...also].join(', ')})`)
}

/** The statement for the falling order, where PostgreSQL cannot read an index backwards. SQLite can. */
export function fallingIndexes({ engine }: Dialect, order: OrderIndex): RawBuilder<unknown>[] {
  if (engine === 'sqlite') return []
  return [create({ ...order, name: `${order.name}_falling` }, `${order.column} desc nulls last, id desc`)]
}

/** The statements that index an order for both directions. */
export const orderIndexes = (dialect: Dialect, order: OrderIndex): RawBuilder<unknown>[] => [
  create(order, `${order.column}, id`),
  ...fallingIndexes(dialect, order),
]
