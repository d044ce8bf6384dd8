import { type RawBuilder, sql } from 'kysely'
import { isAnyOf } from '../portable.ts'
import type { Engine } from '../tables.ts'

// How the planner says to each engine in which order it reads tables. SQLite has no statistics, and joins in the order of `cross join`.
// PostgreSQL does not see that a page ends: it would read whole tables, and `offset 0` keeps a sub-query as it is.

type HasEngine = { readonly engine: Engine }

/** A condition of a query. */
export type Condition = RawBuilder<boolean>

/** All of some conditions. */
export const allOf = (conditions: readonly RawBuilder<unknown>[]): Condition =>
  sql<boolean>`${sql.join([sql`1 = 1`, ...conditions], sql` and `)}`

/** The word before a table that is read after those before it. */
export const joinNext = ({ engine }: HasEngine): RawBuilder<unknown> =>
  sql.raw(engine === 'postgres' ? 'join' : 'cross join')

/**
 * Joins rows that are looked up for each row of what precedes.
 * @param from the name of their table, or `table as name`
 * @param condition by which they follow from it
 * @param columns what is read of them
 * @returns the text after the tables that are read before
 */
export function lookUp(
  { engine }: HasEngine,
  from: string,
  condition: RawBuilder<unknown>,
  columns: RawBuilder<unknown> = sql`*`,
): RawBuilder<unknown> {
  const [table = '', as = table] = from.split(' as ')
  const [rows, name] = [as === table ? sql.table(table) : sql`${sql.table(table)} ${sql.ref(as)}`, sql.ref(as)]
  return engine === 'postgres'
    ? sql`cross join lateral (select ${columns} from ${rows} where ${condition} offset 0) ${name}`
    : sql`cross join ${rows} on ${condition}`
}

/**
 * Joins, for each row of what precedes, the first rows of a query that names it, by their ids on SQLite.
 * @param first the query of some columns, with its order and limit
 */
export function lookUpFirst(
  { engine }: HasEngine,
  table: string,
  first: (columns: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const [rows, id] = [sql.table(table), sql.ref(`${table}.id`)]
  return engine === 'postgres'
    ? sql`cross join lateral (${first(sql`${rows}.*`)}) ${rows}`
    : sql`cross join ${rows} where ${id} in (${first(id)})`
}

/** Whether a value is one of those that a query gives, which is run first. PostgreSQL does so only where it is an array. */
export function isDriven({ engine }: HasEngine, value: RawBuilder<unknown>, values: RawBuilder<unknown>): Condition {
  return engine === 'postgres' ? sql<boolean>`${value} = any(array(${values}))` : sql<boolean>`${value} in (${values})`
}

/** Ends a sub-query that is run as it stands: else the engines would read rows in the order of the query around it. */
export const asItStands = ({ engine }: HasEngine): RawBuilder<unknown> =>
  engine === 'postgres' ? sql`offset 0` : sql`limit -1`

/** Whether a value is one of a set that is computed once for many rows. PostgreSQL compares each row with all values of an array. */
export function isInSet(db: HasEngine, value: RawBuilder<unknown>, ids: readonly number[]): Condition {
  return db.engine === 'postgres'
    ? sql<boolean>`${value} in (select unnest(${ids}::bigint[]))`
    : isAnyOf(db, value, ids)
}

/** Ends a sub-query whose plan PostgreSQL shall not weigh against what is around it. */
export const apart = ({ engine }: HasEngine): RawBuilder<unknown> => sql.raw(engine === 'postgres' ? 'offset 0' : '')
