import { type RawBuilder, sql } from 'kysely'
import { fewBeside } from './few.ts'
import type { ListContext, Predicate } from './predicate.ts'
import type { ListQuery } from './query.ts'
import { thresholds } from './thresholds.ts'

/** The predicate that finds the rows of a list, and how many it finds, up to one more than `thresholds.driven`. */
export type Driving = {
  predicate: Predicate | null
  count: number
  /** Whether there is no other one, so that the list has as many rows. */
  isAlone: boolean
}

const tooMany = thresholds.driven + 1
const none: Driving = { predicate: null, count: tooMany, isAlone: false }

/** Counts the rows of each of some queries, up to `tooMany`, with one statement. */
async function boundedCounts({ db }: ListContext, queries: readonly RawBuilder<unknown>[]): Promise<number[]> {
  const counts = queries.map(
    (query, index) => sql`(select count(*) from (select 1 from (${query}) f limit ${sql.lit(tooMany)}) c)
      as ${sql.ref(`count_${index}`)}`,
  )
  const { rows } = await db.executeQuery(sql<Record<string, number>>`select ${sql.join(counts)}`.compile(db as never))
  return queries.map((_, index) => Number(rows[0]?.[`count_${index}`] ?? 0))
}

/** The predicate that finds the fewest rows. */
async function fewest(context: ListContext, query: ListQuery, candidates: readonly Predicate[]): Promise<Driving> {
  const driven = candidates.flatMap((predicate) => (predicate.driver ? [{ predicate, driver: predicate.driver }] : []))
  if (driven.length === 0) return none
  const counts = await boundedCounts(
    context,
    driven.map(({ driver }) => driver.ids),
  )
  const least = counts.indexOf(Math.min(...counts))
  const { predicate, driver } = driven[least] as (typeof driven)[number]
  const isAlone = query.predicates.length === 1 && driver.isScoped === true
  return { predicate, count: counts[least] ?? 0, isAlone }
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
  return { predicate: ofParents, count: tooMany, isAlone: false }
}
