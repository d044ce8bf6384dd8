import { sql } from 'kysely'

/**
 * Makes null a value of `force_remove_source_branch`: nothing was asked for (contract 19). Merge requests of former versions keep what
 * they showed. A new column takes the place of the old one, as SQLite cannot drop `not null` from a column.
 */
export const up = () => [
  sql`alter table merge_requests add column asked_removal boolean`,
  sql`update merge_requests set asked_removal = force_remove_source_branch`,
  sql`alter table merge_requests drop column force_remove_source_branch`,
  sql`alter table merge_requests rename column asked_removal to force_remove_source_branch`,
]
