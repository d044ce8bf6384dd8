import { sql } from 'kysely'

/** Groups that are on their way out: seen by nobody, until a job has removed them (contract 21 R6). */
export function up() {
  return [
    sql`alter table namespaces add column pending_delete boolean not null default false`,
    sql`create index namespaces_marked on namespaces (marked_for_deletion_on) where original_path is not null`,
  ]
}
