import { sql } from 'kysely'

/** Indexes for the orders of merge requests that issues have already. */
export function up() {
  return [
    sql`create index merge_requests_title on merge_requests (lower(title), id)`,
    sql`create index merge_requests_project_title on merge_requests (project_id, lower(title), id)`,
    sql`create index merge_requests_merged on merge_requests (merged_at, id) where merged_at is not null`,
    sql`create index merge_requests_project_merged on merge_requests (project_id, merged_at, id) where merged_at is not null`,
  ]
}
