import { sql } from 'kysely'
import { type Dialect, fallingIndexes } from '../infra/database/index.ts'

/**
 * Indexes by which pipelines are read in the order of their users, and those of a schedule and the jobs of a runner and of each of its
 * managers are counted without reading them.
 */
export function up(dialect: Dialect) {
  const name = 'pipelines_project_user'
  return [
    ...fallingIndexes(dialect, { name, table: 'pipelines', of: 'project_id', column: 'user_id' }),
    sql`create index pipelines_schedule_listed on pipelines
      (schedule_id, status, id, project_id, created_at, updated_at) where schedule_id is not null`,
    sql`create index ci_jobs_manager on ci_jobs (runner_manager_id, id) where runner_manager_id is not null`,
    sql`create index ci_jobs_runner_read on ci_jobs (runner_id, status, project_id) where runner_id is not null`,
  ]
}
