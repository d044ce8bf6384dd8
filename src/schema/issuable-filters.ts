import { sql } from 'kysely'

/** Indexes by which the filters of issues and merge requests find those of one project, without reading them. */
export function up() {
  return [
    sql`drop index issuable_assignees_user`,
    sql`create index issuable_assignees_user on issuable_assignees (user_id, project_id, issuable_type, issuable_id)`,
    sql`drop index award_emoji_user`,
    sql`create index award_emoji_user on award_emoji (user_id, project_id, noteable_type, name, noteable_id)`,
    sql`drop index issues_project_id`,
    sql`create index issues_project_id on issues
      (project_id, id, author_id, confidential, iteration_id, weight, due_date, health_status)`,
    sql`create index issues_project_milestone on issues (project_id, milestone_id, id)`,
    sql`create index issues_project_iteration on issues (project_id, iteration_id, id) where iteration_id is not null`,
    sql`create index merge_requests_project_milestone on merge_requests (project_id, milestone_id, id)`,
    sql`create index merge_requests_project_id on merge_requests (project_id, id, author_id, draft)`,
    sql`create index merge_requests_project_merge_user on merge_requests (project_id, merge_user_id, id)
      where merge_user_id is not null`,
    sql`create index merge_requests_draft on merge_requests (project_id, id) where draft = true`,
  ]
}
