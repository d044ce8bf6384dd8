import { sql } from 'kysely'

/** The index of projects with many issues or merge requests (`largestProjects`). */
export function up() {
  return [
    sql`create index internal_ids_largest on internal_ids (kind, last_value, project_id)
      where last_value >= 10001 and project_id is not null`,
  ]
}
