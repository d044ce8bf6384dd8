import { sql } from 'kysely'

/** The forks of a project are counted and filtered by an index alone, which has no entry for other projects. */
export function up() {
  return [
    sql`drop index projects_forked_from`,
    sql`create index projects_forked_from on projects (forked_from_id, pending_delete, created_at, id, visibility, namespace_id,
      archived, updated_at, last_activity_at) where forked_from_id is not null`,
  ]
}
