import { sql } from 'kysely'

/** Indexes by which the snippets of a project are counted, and the alerts of a project by where they come from. */
export function up() {
  return [
    sql`create index snippets_listed on snippets (project_id, id) where file_name is not null`,
    sql`drop index alerts_listed`,
    sql`create index alerts_listed on alerts (project_id, status, iid, id, severity, created_at, updated_at, ended_at,
      event_count, monitoring_tool, environment_name)`,
  ]
}
