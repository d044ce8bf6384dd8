import { sql } from 'kysely'

/** The index by which the merge requests that a user wrote in a project are found. */
export function up() {
  return [sql`create index merge_requests_project_author on merge_requests (project_id, author_id, id)`]
}
