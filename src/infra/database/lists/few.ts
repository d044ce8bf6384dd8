import { type RawBuilder, sql } from 'kysely'
import { thresholds } from './thresholds.ts'

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
