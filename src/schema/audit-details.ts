import { sql } from 'kysely'

/** Which part of its target an act is about. */
export function up() {
  return [sql`alter table audit_events add column detail text`]
}
