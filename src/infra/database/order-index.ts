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

/** The statements that index an order for both directions: SQLite reads one index in either, PostgreSQL needs two. */
export function orderIndexes({ engine }: Dialect, order: OrderIndex): RawBuilder<unknown>[] {
  const { name, table, column, of, also = [] } = order
  const create = (index: string, ...keys: string[]) =>
    sql.raw(`create index ${index} on ${table} (${[...(of ? [of] : []), ...keys, ...also].join(', ')})`)
  const rising = create(name, column, 'id')
  return engine === 'sqlite' ? [rising] : [rising, create(`${name}_falling`, `${column} desc nulls last`, 'id desc')]
}
