import { sql } from 'kysely'

/** Who starred which project, and the projects whose time has come (contract 21, x.projects_star, R6). */
export function up() {
  return [
    sql`create table project_stars (
      project_id bigint not null references projects (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      created_at timestamptz not null,
      primary key (project_id, user_id)
    )`,
    sql`create index project_stars_user on project_stars (user_id, project_id)`,
    sql`create index projects_marked on projects (marked_for_deletion_on) where original_path is not null`,
    sql`create index projects_leaving on projects (id) where pending_delete = true`,
  ]
}
