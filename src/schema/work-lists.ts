import { sql } from 'kysely'

/**
 * Indexes by which lists of what large projects and groups contain are read in their orders and by their filters, and counted:
 * releases, pipelines and their jobs, events, merge requests.
 */
export function up() {
  return [
    sql`create index releases_order_released on releases (released_at, id)`,
    sql`create index releases_order_created on releases (created_at, id)`,
    sql`create index ci_jobs_listed on ci_jobs (project_id, status, id) where external = false`,
    sql`create index ci_jobs_order_internal on ci_jobs (project_id, id) where external = false`,
    sql`create index ci_jobs_listed_retried on ci_jobs (pipeline_id, project_id, retried, id) where external = false`,
    sql`create index ci_jobs_listed_runner on ci_jobs (runner_id, status, id) where runner_id is not null`,
    sql`create index pipelines_status on pipelines (project_id, status, id)`,
    sql`create index pipelines_source on pipelines (project_id, source, id)`,
    sql`create index pipelines_updated on pipelines (project_id, updated_at, id)`,
    sql`create index pipelines_created_at on pipelines (project_id, created_at, id)`,
    sql`create index pipelines_project_user on pipelines (project_id, user_id, id)`,
    sql`create index pipelines_named on pipelines (project_id, name, id) where name is not null`,
    sql`create index pipelines_invalid on pipelines (project_id, id) where yaml_errors is not null`,
    sql`create index pipelines_tag on pipelines (project_id, tag, ref, id)`,
    sql`create index events_project_action on events (project_id, action, id)`,
    sql`create index events_project_target on events (project_id, target_type, id)`,
    sql`create index events_author_action on events (author_id, action, id)`,
    sql`create index events_author_target on events (author_id, target_type, id)`,
    sql`create index merge_requests_title on merge_requests (lower(title), id)`,
    sql`create index merge_requests_project_title on merge_requests (project_id, lower(title), id)`,
    sql`create index merge_requests_merged on merge_requests (merged_at, id) where merged_at is not null`,
    sql`create index merge_requests_project_merged on merge_requests (project_id, merged_at, id)
      where merged_at is not null`,
    sql`create index merge_requests_project_author on merge_requests (project_id, author_id, id)`,
  ]
}
