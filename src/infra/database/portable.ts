import { hash } from 'node:crypto'
import { type ColumnType, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Tx } from './database.ts'
import type { Engine, Tables } from './tables.ts'

/** A JSON column: selected as a value, inserted as text. */
export type Json<T> = ColumnType<T, string, string>

type HasEngine = { readonly engine: Engine }

/**
 * `column in (values)` with all values in one parameter. The text of the query does not depend on the number of values, so it
 * stays in the statement cache, and the engine's limit on parameters does not apply.
 */
export function within(db: HasEngine, column: string, values: readonly (number | string)[]): RawBuilder<boolean> {
  return isAnyOf(db, sql.ref(column), values)
}

/** Like `within`, for `lower(column)`, so that an index over that expression is used. */
export function withinLower(db: HasEngine, column: string, values: readonly string[]): RawBuilder<boolean> {
  return isAnyOf(db, sql`lower(${sql.ref(column)})`, values)
}

/** Like `within`, for any expression. */
export function isAnyOf(
  db: HasEngine,
  value: RawBuilder<unknown>,
  values: readonly (number | string)[],
): RawBuilder<boolean> {
  if (db.engine === 'postgres') return sql<boolean>`${value} = any(${values})`
  return sql<boolean>`${value} in (select value from json_each(${values}))`
}

/** Like `within`, for two columns of numbers: rows with one of these pairs. */
export function withinPairs(
  db: HasEngine,
  [first, second]: readonly [string, string],
  pairs: readonly (readonly [number, number])[],
): RawBuilder<boolean> {
  const columns = sql`(${sql.ref(first)}, ${sql.ref(second)})`
  if (db.engine === 'postgres') {
    const [ones, others] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)]
    return sql<boolean>`${columns} in (select * from unnest(${ones}::bigint[], ${others}::bigint[]))`
  }
  const parts = sql`json_extract(value, '$[0]'), json_extract(value, '$[1]')`
  return sql<boolean>`${columns} in (select ${parts} from json_each(${pairs}))`
}

/**
 * A column that is only compared: SQLite uses no index for it. It has no statistics, so it would take any index, whatever the number of
 * rows behind it.
 */
export function unindexed(db: HasEngine, column: string): RawBuilder<unknown> {
  return db.engine === 'sqlite' ? sql`+${sql.ref(column)}` : sql.ref(column)
}

/** The number by which rows are sorted after they were found: no engine walks through all rows in its order, by an index. */
export function sortedBy(db: HasEngine, column: string): RawBuilder<unknown> {
  return db.engine === 'sqlite' ? sql`+${sql.ref(column)}` : sql`${sql.ref(column)} + 0`
}

/** A condition that is only compared, as `unindexed`. */
export function compared(db: HasEngine, condition: RawBuilder<boolean>): RawBuilder<boolean> {
  return db.engine === 'sqlite' ? sql<boolean>`+(${condition})` : condition
}

/**
 * Whether there is a row, looked up for each row of the query. PostgreSQL would make a join of it, which reads every row that meets
 * the condition as often as it expects few of them; the offset keeps it from that.
 * @param rows the text after `from`
 */
export function isFound(db: HasEngine, rows: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from ${rows} ${sql.raw(db.engine === 'postgres' ? 'offset 0' : '')})`
}

/** Escapes the wildcards of `like`. The query must say `escape '\'`. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** Lower-cases ASCII letters only, like `lower` in both engines. */
function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Case-insensitive search for a text in a column. Wildcards in the text are literal. */
export function contains(column: string, text: string): RawBuilder<boolean> {
  const pattern = `%${escapeLike(foldCase(text))}%`
  return sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`
}

/** Like `contains`, in at least one of these columns. */
export function anyContains(columns: readonly string[], text: string): RawBuilder<boolean> {
  const conditions = columns.map((column) => contains(column, text))
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}

/**
 * Acquires the lock of this name until the transaction ends, for rules over several rows that no unique index can enforce.
 * SQLite needs no such lock: it has one writer at a time.
 */
export async function acquireLock(tx: Tx, name: string): Promise<void> {
  if (tx.engine === 'postgres') await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}

/** Whether other processes may use the database. A SQLite database belongs to one, which knows of every change. */
export const isShared = ({ engine }: HasEngine): boolean => engine === 'postgres'

/** The function that gives the smaller one of two values. */
export const smaller = ({ engine }: HasEngine): RawBuilder<unknown> => sql.raw(engine === 'postgres' ? 'least' : 'min')

const typeNames = {
  time: { postgres: 'timestamptz', sqlite: 'text' },
  json: { postgres: 'jsonb', sqlite: 'text' },
} as const

/** The type of a parameter in a cast. */
export const typeOf = ({ engine }: HasEngine, kind: keyof typeof typeNames): RawBuilder<unknown> =>
  sql.raw(typeNames[kind][engine])

/** Whether the JSON array `whole` has all texts of the JSON array `part`. */
export function jsonHasAll(
  { engine }: HasEngine,
  whole: RawBuilder<unknown>,
  part: RawBuilder<unknown>,
): RawBuilder<boolean> {
  if (engine === 'postgres') return sql<boolean>`${whole} @> ${part}`
  return sql<boolean>`not exists (
    select 1 from json_each(${part}) one where one.value not in (select value from json_each(${whole})))`
}

/** The end of a query whose rows are locked until the transaction ends. SQLite needs no such lock: it has one writer at a time. */
export const lockClause = (
  { engine }: HasEngine,
  strength: 'update' | 'no key update' | 'update skip locked' = 'update',
): RawBuilder<unknown> => sql.raw(engine === 'postgres' ? `for ${strength}` : '')

type Lockable<Query> = { forUpdate(of?: never): Query; forShare(of?: never): Query; forKeyShare(of?: never): Query }

/**
 * Locks the rows that a query selects until the transaction ends. SQLite needs no such lock: it has one writer at a time.
 * @param strength `share` lets others read under the same lock; `key share` also lets them change what is no key
 * @param of the table whose rows are locked; default: all
 */
export function locked<Query extends Lockable<Query>>(
  { engine }: HasEngine,
  query: Query,
  strength: 'update' | 'share' | 'key share' = 'update',
  of?: string,
): Query {
  if (engine === 'sqlite') return query
  if (strength === 'share') return query.forShare(of as never)
  return strength === 'key share' ? query.forKeyShare(of as never) : query.forUpdate(of as never)
}

/** A row by its id, or by other columns that tell it from all others. */
type Key<Row> = (row: Row) => Readonly<Record<string, number | string>>

const idOf: Key<{ id: number }> = ({ id }) => ({ id })

async function lockRow(tx: Tx, table: keyof Tables, key: Readonly<Record<string, number | string>>): Promise<void> {
  const conditions = Object.entries(key).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  await sql`select 1 from ${sql.table(table)} where ${sql.join(conditions, sql` and `)} for update`.execute(tx)
}

/**
 * Finds a row for what only one of several callers may do to it, such as its deletion, and locks it until the transaction ends: the
 * next caller waits, and finds what this one has left. It comes before anything else that the transaction locks, so that callers do
 * not wait for each other in a circle. SQLite needs no such lock: it has one writer at a time.
 * @param find looks the row up in this transaction, and throws or returns nothing when there is none
 * @param keyOf columns that tell the row from all others, in tables without an id
 */
export async function claim<Row extends { id: number } | null | undefined>(
  tx: Tx,
  table: keyof Tables,
  find: () => Promise<Row>,
): Promise<Row>
export async function claim<Row extends object | null>(
  tx: Tx,
  table: keyof Tables,
  find: () => Promise<Row>,
  keyOf: Key<NonNullable<Row>>,
): Promise<Row>
export async function claim(
  tx: Tx,
  table: keyof Tables,
  find: () => Promise<object | null | undefined>,
  keyOf: Key<never> = idOf,
): Promise<object | null | undefined> {
  let row = await find()
  if (tx.engine === 'sqlite') return row
  for (let locked = ''; row; row = await find()) {
    const key = keyOf(row as never)
    // Its place may have been taken by another row meanwhile.
    if (JSON.stringify(key) === locked) return row
    await lockRow(tx, table, key)
    locked = JSON.stringify(key)
  }
  return row
}

/** In a statement, it keeps PostgreSQL from planning it for any values. */
export const planComment = '/* planned for its values */'

/**
 * Beside a condition whose best plan depends on its value, as that on a text: a statement with it is planned for its values at each run,
 * however short it is.
 */
export const plannedForValues: RawBuilder<unknown> = sql.raw(planComment)

/** As a condition. */
export const neverTrue: RawBuilder<boolean> = sql<boolean>`1 = 0`

/** As a condition, on PostgreSQL: whether no process holds the lock of this name (`Locks.hold`). */
export function lockIsFree(name: string): RawBuilder<boolean> {
  return sql<boolean>`pg_try_advisory_xact_lock_shared(hashtextextended(${name}, 0))`
}

/** A value for a JSON column. Both engines receive text, so that `pg` does not turn an array into an SQL array. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value)
}

/** The current time in the format of the database: ISO 8601 in UTC with milliseconds. */
export function now(clock: { now(): Date }): string {
  return clock.now().toISOString()
}

/** Counts the rows of a query that selects no columns. */
export async function countRows<DB, TB extends keyof DB>(query: SelectQueryBuilder<DB, TB, object>): Promise<number> {
  const counted = query.select(sql<number>`count(*)`.as('count')) as SelectQueryBuilder<DB, TB, { count: number }>
  return Number((await counted.executeTakeFirstOrThrow()).count)
}

/** Splits a list into parts of at most `size`, for statements with a bounded number of parameters. */
export function* portionsOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

/** Yields all rows in portions. @param read lists the rows after an id, in the order of the ids */
export async function* portions<Row extends { id: number }>(
  read: (afterId: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let rows = await read(0)
  for (; rows.length > 0; rows = await read(rows.at(-1)?.id ?? 0)) yield rows
}

/** SHA-256 of a text in hex, for indexes over texts that may exceed the size limit of an index entry. */
export function textDigest(text: string): string {
  return hash('sha256', text)
}
