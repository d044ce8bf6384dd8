import { sql } from 'kysely'

/**
 * The process that has begun a change of refs, by the name of the lock that it holds while it lives: another one settles what a
 * process has left that ended. `settled` means that another one has recorded the change, and `updates` what of it; the row stays for
 * a process that had only lost its connection.
 */
export function up() {
  return [
    sql`alter table ref_intents add column process text`,
    sql`alter table ref_intents add column settled boolean not null default false`,
  ]
}
