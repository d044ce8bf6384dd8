import { type RawBuilder, sql } from 'kysely'
import type { Driver, ListContext, Predicate } from './predicate.ts'
import type { ListQuery } from './query.ts'
import { fewBeside, thresholds } from './thresholds.ts'

/** The predicate that finds the rows of a list, and how many it finds, up to one more than `thresholds.driven`. */
export type Driving = {
  predicate: Predicate | null
  count: number
  /** Whether there is no other one, so that the list has as many rows. */
  isAlone: boolean
}

const tooMany = () => thresholds.driven + 1
const none = (): Driving => ({ predicate: null, count: tooMany(), isAlone: false })

/**
 * Counts the rows of each of some queries, up to `tooMany`, with one statement: each up to the number of the one before, since only
 * fewer rows matter.
 */
async function boundedCounts({ db }: ListContext, queries: readonly RawBuilder<unknown>[]): Promise<number[]> {
  const name = (index: number) => sql.raw(`counted_${index}`)
  const counts = queries.map((query, index) => {
    const most = index === 0 ? sql.lit(tooMany()) : sql`(select count from ${name(index - 1)})`
    return sql`${name(index)} as materialized (
      select count(*) as count from (select 1 from (${query}) f limit ${most}) c)`
  })
  const all = queries.map((_, index) => sql`select ${sql.lit(index)} as number, count from ${name(index)}`)
  const query = sql<{ number: number; count: number }>`with ${sql.join(counts)} ${sql.join(all, sql` union all `)}`
  const { rows } = await db.executeQuery(query.compile(db as never))
  const found = new Map(rows.map(({ number, count }) => [number, Number(count)]))
  return queries.map((_, index) => found.get(index) ?? 0)
}

/** Selects the rows of the scope, if it may have fewer rows than a driver. */
function rowsOfScope({ table }: ListContext, { scope }: ListQuery, drivers: readonly Driver[]) {
  return scope && drivers.some(({ isScoped }) => !isScoped)
    ? [sql`select 1 from ${sql.table(table)} where ${scope}`]
    : []
}

/** The predicate that finds the fewest rows; none where the scope has as few. */
async function fewest(context: ListContext, query: ListQuery, candidates: readonly Predicate[]): Promise<Driving> {
  const driven = candidates.flatMap((predicate) => (predicate.driver ? [{ predicate, driver: predicate.driver }] : []))
  if (driven.length === 0) return none()
  const drivers = driven.map(({ driver }) => driver)
  const scope = rowsOfScope(context, query, drivers)
  const counts = await boundedCounts(context, [...scope, ...drivers.map(({ ids }) => ids)])
  const least = counts.indexOf(Math.min(...counts)) - scope.length
  if (least < 0) return none()
  const { predicate, driver } = driven[least] as (typeof driven)[number]
  const isAlone = query.predicates.length === 1 && driver.isScoped === true
  return { predicate, count: counts[least + scope.length] ?? 0, isAlone }
}

/** Whether parents are always few, so that their rows are counted, or few beside the rows of the table, or many. */
async function parentsAre({ db, table }: ListContext, counted: readonly RawBuilder<unknown>[]) {
  const most = fewBeside(table, thresholds.rowsForParent)
  const all = sql`${sql.join(counted, sql` union all `)} limit ${most} + 1`
  const query = sql<{ most: number; count: number }>`select ${most} as most, (select count(*) from (${all}) c) as count`
  const [row] = (await db.executeQuery(query.compile(db as never))).rows
  const count = Number(row?.count ?? 0)
  if (count <= thresholds.fewParents) return 'few'
  return count <= Number(row?.most ?? 0) ? 'fewer than rows' : 'many'
}

/**
 * Chooses the predicate that finds the fewest rows by its index. The engines cannot know: SQLite has no statistics, and the value of
 * a filter may be in half of all rows or in none.
 */
export async function chooseDriving(context: ListContext, query: ListQuery): Promise<Driving> {
  const { predicates } = query
  const chosen = await fewest(
    context,
    query,
    predicates.filter(({ parents }) => !parents?.counted),
  )
  if (chosen.count <= thresholds.driven) return chosen
  // The rows of few parents are not counted beforehand: they find them also where they have many.
  const ofFewParents = predicates.find(({ parents }) => parents && !parents.counted)
  if (ofFewParents) return { predicate: ofFewParents, count: thresholds.driven, isAlone: false }
  const ofParents = predicates.find(({ driver, parents }) => driver && parents?.counted)
  if (!ofParents?.parents?.counted) return chosen
  const are = await parentsAre(context, ofParents.parents.counted)
  if (are === 'many') return chosen
  if (are === 'few') return fewest(context, query, [ofParents])
  return { predicate: ofParents, count: tooMany(), isAlone: false }
}
