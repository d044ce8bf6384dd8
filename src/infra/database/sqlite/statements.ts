import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { DatabaseFull, DatabaseUnavailable } from '../unavailable.ts'
import { ReferenceViolation, UniqueViolation } from '../violations.ts'

type Row = Record<string, unknown>
type Decode = (value: unknown) => unknown
type Column = { name: string; decode: Decode | undefined }

/** A prepared statement with the columns of its result. */
export type Prepared = {
  statement: StatementSync
  /** Empty when the statement returns no rows. */
  columns: readonly Column[]
}

const decoders: Record<string, Decode> = {
  boolean: (value) => (value === null ? null : value !== 0),
  jsonb: (value) => (typeof value === 'string' ? JSON.parse(value) : value),
}

/** SQLite has no type for booleans or JSON, so the declared type of a column chooses the decoder. */
function columnsOf(statement: StatementSync): Column[] {
  return statement.columns().map(({ name, type }) => ({ name, decode: decoders[type?.toLowerCase() ?? ''] }))
}

/** Builds a row from an array. The objects that `node:sqlite` itself returns are slow to read and to copy. */
function rowOf(columns: readonly Column[], values: readonly unknown[]): Row {
  const row: Row = {}
  for (let index = 0; index < columns.length; index += 1) {
    const { name, decode } = columns[index] as Column
    row[name] = decode ? decode(values[index]) : values[index]
  }
  return row
}

/** The prepared statements of a connection, by SQL text. */
export type StatementCache = {
  prepare(text: string): Prepared
  clear(): void
}

/** Number of statements that stay prepared per connection. */
const cachedStatements = 500

/** Creates the statement cache of a connection. */
export function statementCache(connection: DatabaseSync): StatementCache {
  const cache = new LRUCache<string, Prepared>({ max: cachedStatements })
  return {
    prepare(text) {
      const cached = cache.get(text)
      if (cached) return cached
      const statement = connection.prepare(text)
      statement.setReturnArrays(true)
      const prepared = { statement, columns: columnsOf(statement) }
      cache.set(text, prepared)
      return prepared
    },
    clear: () => cache.clear(),
  }
}

/** A parameter as SQLite takes it. */
export function encode(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  // SQLite has no arrays: a query reads the values with `json_each`.
  if (Array.isArray(value)) return JSON.stringify(value)
  if (value === undefined) throw new TypeError('a query parameter is undefined')
  return value as SQLInputValue
}

/** Runs a statement that returns rows: the values of each, in the order of the columns. */
export function valuesOf(statement: StatementSync, parameters: readonly SQLInputValue[]): unknown[][] {
  return statement.all(...parameters) as unknown as unknown[][]
}

/** The decoded rows of a statement. */
export function rowsOf({ columns }: Prepared, values: readonly (readonly unknown[])[]): Row[] {
  return values.map((row) => rowOf(columns, row))
}

/** Runs a prepared statement. Returns its decoded rows and the number of changed rows. */
export function run(prepared: Prepared, parameters: readonly unknown[]): { rows: Row[]; changes: bigint } {
  const values = parameters.map(encode)
  if (prepared.columns.length === 0) {
    const { changes } = prepared.statement.run(...values)
    return { rows: [], changes: BigInt(changes) }
  }
  const rows = rowsOf(prepared, valuesOf(prepared.statement, values))
  return { rows, changes: BigInt(rows.length) }
}

/** Primary result codes of SQLite: a read-only file, an error of the disk, a file that cannot be opened. */
const away = new Set([8, 10, 14])
const full = 13
/** An extended result code: a foreign key was violated. */
const reference = 787

function outageOf(error: unknown): DatabaseUnavailable | null {
  const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff
  if (code === full) return new DatabaseFull(error)
  return away.has(code) ? new DatabaseUnavailable(error) : null
}

/**
 * Translates an error of a foreign key into `ReferenceViolation`, and a uniqueness error into `UniqueViolation` with the name of
 * the index. SQLite names the index only when it is over an expression, and its columns otherwise.
 * @param statement the text of the statement that failed
 */
export function translateError(error: unknown, connection: DatabaseSync, statement: string): unknown {
  const message = error instanceof Error ? error.message : ''
  const named = /^UNIQUE constraint failed: index '([^']+)'/.exec(message)
  if (named?.[1]) return new UniqueViolation(named[1], error)
  const listed = /^UNIQUE constraint failed: (.+)$/.exec(message)
  if (!listed?.[1]) {
    const { errcode } = error as { errcode?: number }
    return errcode === reference ? new ReferenceViolation(error, statement) : (outageOf(error) ?? error)
  }
  const columns = listed[1].split(', ').map((entry) => entry.split('.') as [string, string])
  const table = columns[0]?.[0] ?? ''
  const wanted = columns.map(([, column]) => column).join()
  const indexes = connection.prepare(`select name from pragma_index_list(?) where "unique" = 1`).all(table)
  for (const { name } of indexes as { name: string }[]) {
    const parts = connection.prepare('select name from pragma_index_info(?)').all(name) as { name: string }[]
    if (parts.map((part) => part.name).join() === wanted) return new UniqueViolation(name, error)
  }
  return new UniqueViolation(`${table}(${wanted})`, error)
}
