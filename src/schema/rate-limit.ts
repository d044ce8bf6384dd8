import { sql } from 'kysely'

/** Request counters of the rate limits (contract 00, "Rate limits"). Owned by `src/api`. */
export function up() {
  return [
    sql`create table rate_windows (
      key text primary key,
      window_start bigint not null,
      requests integer not null
    )`,
    sql`create index rate_windows_start on rate_windows (window_start)`,
  ]
}
