import { type RawBuilder, sql } from 'kysely'

/** So many projects, groups or others are few beside any number of rows. */
export const alwaysFew = 1_000

/** More than so many are few beside no number of rows: their own rows would be many. */
const neverFew = 50_000

/**
 * Up to how many projects, groups or others find the rows of a list sooner than the rows of the whole table are tested, one after the
 * other. The largest id says how many rows there are at most (decision 0019).
 * @param rowsForOne so many rows of the table are tested while one of them finds its own
 */
export function fewBeside(table: string, rowsForOne: number): RawBuilder<number> {
  const few = sql`select ${sql.lit(alwaysFew)} + coalesce(max(id), 0) / ${sql.lit(rowsForOne)} as few from ${sql.table(table)}`
  return sql<number>`(select case when few < ${sql.lit(neverFew)} then few else ${sql.lit(neverFew)} end from (${few}) one)`
}
