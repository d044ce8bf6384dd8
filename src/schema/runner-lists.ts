import { sql } from 'kysely'

/** Indexes by which the jobs of a runner and of each of its managers are counted. */
export function up() {
  return [
    sql`create index ci_jobs_manager on ci_jobs (runner_manager_id, id) where runner_manager_id is not null`,
    sql`create index ci_jobs_runner_read on ci_jobs (runner_id, status, project_id) where runner_id is not null`,
  ]
}
