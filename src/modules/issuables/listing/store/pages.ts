import { type RawBuilder, sql } from 'kysely'
import type { Condition, Filter, ListContext } from './filter.ts'

/** Sets of at most this many rows are found first and sorted then. */
const few = 10_000

/** What a list selects from, besides its filters. */
export type Selection = {
  filters: readonly Filter[]
  /** Joined tables, each with its condition, for filters that need them. */
  joins: readonly { table: string; on: Condition }[]
  /** A table that is read first, with the condition by which the rows of the list follow from it. */
  first?: { table: RawBuilder<unknown>; on: Condition }
  /** The condition of the project or group of the list. Its column may be used by an index. */
  scope: Condition | null
}

type Chosen = { ids: RawBuilder<unknown> | null }

/**
 * Chooses the filter that finds the fewest rows by its index, if they are few. The engines cannot know: SQLite has no
 * statistics, and a filter's value may be in half of all rows or in none.
 */
async function chooseFinder({ db }: ListContext, { filters }: Selection): Promise<Chosen> {
  const finders = filters.flatMap(({ ids }) => (ids ? [ids] : []))
  if (finders.length === 0) return { ids: null }
  const counts = finders.map(
    (ids, index) => sql`(select count(*) from (select 1 from (${ids}) f limit ${sql.lit(few + 1)}) c)
      as ${sql.ref(`count_${index}`)}`,
  )
  const { rows } = await db.executeQuery(sql<Record<string, number>>`select ${sql.join(counts)}`.compile(db as never))
  const found = finders.map((ids, index) => ({ ids, count: Number(rows[0]?.[`count_${index}`] ?? 0) }))
  const best = found.reduce((left, right) => (right.count < left.count ? right : left))
  return { ids: best.count <= few ? best.ids : null }
}

/** The text from `from` on. With a finder no condition but the id may use an index. */
export function selected({ db, target }: ListContext, { filters, joins, scope, first }: Selection, { ids }: Chosen) {
  const plus = sql.raw(db.engine === 'sqlite' ? '+' : '')
  const conditions = [
    ...(ids ? [sql`${sql.ref(`${target.table}.id`)} in (${ids})`] : []),
    ...(scope ? [ids ? sql`${plus}(${scope})` : scope] : []),
    ...[...(first ? [first] : []), ...joins].map(({ on }) => on),
    ...filters.map(({ matches }) => matches),
  ]
  const joined = joins.map(({ table }) => sql` cross join ${sql.table(table)}`)
  const where = conditions.length === 0 ? sql`` : sql` where ${sql.join(conditions, sql` and `)}`
  const start = first ? sql`${first.table} cross join ` : sql``
  return sql`from ${start}${sql.table(target.table)}${sql.join(joined, sql``)}${where}`
}

/** Rows of a list with how many there are in all. */
export type Found<Row> = {
  rows: Row[]
  hasNext: boolean
  /** Undefined when there are more than `few`. */
  total: number | undefined
}

export type Cut = { order: RawBuilder<unknown>; limit: number; offset: number; after: Condition | null }

/** The rows of one page, in three queries at most. */
export async function pageOf<Row>(context: ListContext, selection: Selection, cut: Cut): Promise<Found<Row>> {
  const { db, target } = context
  const chosen = await chooseFinder(context, selection)
  const { order, limit, offset, after } = cut
  const all = selected(context, selection, chosen)
  const counted = sql<{ count: number }>`
    select count(*) as count from (select 1 ${all} limit ${sql.lit(few + 1)}) c`
  const count = Number((await db.executeQuery(counted.compile(db as never))).rows[0]?.count ?? 0)
  const isMany = count > few
  if (!isMany && offset >= count) return { rows: [], hasNext: false, total: count }
  const columns = sql`select ${sql.table(target.table)}.*`
  const rest = after ? { ...selection, filters: [...selection.filters, { matches: after }] } : selection
  const found = selected(context, rest, chosen)
  // The offset keeps PostgreSQL from reading in the order of the list, where few matching rows may be far apart.
  const page =
    !isMany && db.engine === 'postgres'
      ? sql`select * from (${columns} ${found} offset 0) ${sql.table(target.table)}`
      : sql`${columns} ${found}`
  const query = sql<Row>`${page} order by ${order} limit ${limit + 1} offset ${offset}`
  const { rows } = await db.executeQuery(query.compile(db as never))
  return { rows: rows.slice(0, limit), hasNext: rows.length > limit, total: isMany ? undefined : count }
}

/** Counts all rows of a list, by an expression over its rows. */
export async function countsOf(
  context: ListContext,
  selection: Selection,
  key: RawBuilder<string>,
): Promise<ReadonlyMap<string, number>> {
  const { db } = context
  const all = selected(context, selection, await chooseFinder(context, selection))
  const query = sql<{ key: string; count: number }>`select ${key} as key, count(*) as count ${all} group by ${key}`
  const { rows } = await db.executeQuery(query.compile(db as never))
  return new Map(rows.map((row) => [row.key, Number(row.count)]))
}
