import { sql } from 'kysely'

/**
 * Indexes by which events of a project or user are counted without reading the rows: they have all that decides about most of them.
 */
export function up() {
  return [
    sql`create index events_project_created on events (project_id, created_at, id, target_type, target_id)`,
    sql`create index events_author_created on events (author_id, created_at, id, project_id)`,
    sql`drop index events_project_action`,
    sql`create index events_project_action on events (project_id, action, id, target_type, target_id)`,
    sql`drop index events_project_target`,
    sql`create index events_project_target on events (project_id, target_type, id, target_id)`,
    sql`drop index events_author_action`,
    sql`create index events_author_action on events (author_id, action, id, project_id)`,
    sql`drop index events_author_target`,
    sql`create index events_author_target on events (author_id, target_type, id, project_id)`,
  ]
}
