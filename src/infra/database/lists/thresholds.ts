import { type RawBuilder, sql } from 'kysely'

/** The thresholds of the planner, each with its reason. Where it chooses between plans, both take about as long there. */
export const thresholds = {
  /** Rows that a driving filter finds are sorted up to this number. A list says no total above it (contract 00). */
  driven: 10_000,
  /** More rows than this take longer to find and to sort than the first ones of a list take to read. */
  sortedAtOnce: 500,
  /** So many rows are read in the order of a list before all that match are found. */
  walkedFirst: 1_000,
  /** So many rows of a sample are read before all of them … */
  sampled: 1_000,
  /** … and this part of them has to match: else counting the sample takes as long as counting the list. */
  sampledShare: 1 / 4,
  /** Parents, such as projects, are few beside any number of rows … */
  fewParents: 1_000,
  /** … and more are few beside no number of rows, because their own rows are many … */
  mostParents: 50_000,
  /** … and between the two one parent is worth so many rows that are read in the order of the list and tested. */
  rowsForParent: 8,
} as const

/**
 * Up to how many parents, such as projects or groups, find the rows of a list sooner than the rows of the whole table are tested, one after
 * the other. The largest id says how many rows there are at most.
 * @param rowsForOne so many rows of the table are tested while one of the parents finds its own
 */
export function fewBeside(table: string, rowsForOne: number): RawBuilder<number> {
  const [least, most] = [sql.lit(thresholds.fewParents), sql.lit(thresholds.mostParents)]
  const few = sql`select ${least} + coalesce(max(id), 0) / ${sql.lit(rowsForOne)} as few from ${sql.table(table)}`
  return sql<number>`(select case when few < ${most} then few else ${most} end from (${few}) one)`
}
