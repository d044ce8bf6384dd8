import { type RawBuilder, sql } from 'kysely'

/** So many projects, groups or others are few beside any number of rows. */
export const alwaysFew = 1_000

/**
 * Up to how many projects, groups or others find the rows of a list sooner than the rows of the whole table are tested, one after the
 * other. The largest id says how many rows there are at most (decision 0019).
 * @param rowsForOne so many rows of the table are tested while one of them finds its own
 */
export const fewBeside = (table: string, rowsForOne: number): RawBuilder<number> =>
  sql<number>`(select ${sql.lit(alwaysFew)} + coalesce(max(id), 0) / ${sql.lit(rowsForOne)} from ${sql.table(table)})`
