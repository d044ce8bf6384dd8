import { sql } from 'kysely'

/** Indexes by which lists of large projects and groups are read in their order, and counted. */
export function up() {
  return [
    sql`create index releases_order_released on releases (released_at, id)`,
    sql`create index releases_order_created on releases (created_at, id)`,
    sql`create index ci_jobs_listed on ci_jobs (project_id, status, id) where external = false`,
    sql`create index ci_jobs_listed_pipeline on ci_jobs (pipeline_id, status, id) where external = false`,
    sql`create index ci_jobs_order_internal on ci_jobs (project_id, id) where external = false`,
  ]
}
