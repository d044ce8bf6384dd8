import { sql } from 'kysely'

/**
 * The projects in which a user has done something and those that a user has starred, with the time of their creation, so that the lists
 * of them are read in their default order (contract 21, x.users_contributed, x.users_starred).
 */
export function up() {
  return [
    sql`create table contributions (
      user_id bigint not null references users (id) on delete cascade,
      project_id bigint not null references projects (id) on delete cascade,
      project_created_at timestamptz not null,
      primary key (user_id, project_id)
    )`,
    sql`insert into contributions (user_id, project_id, project_created_at)
      select distinct e.author_id, p.id, p.created_at from events e join projects p on p.id = e.project_id
      where e.author_id is not null`,
    sql`create index contributions_order on contributions (user_id, project_created_at, project_id)`,
    sql`create index contributions_project on contributions (project_id)`,
    sql`alter table project_stars add column project_created_at timestamptz`,
    sql`update project_stars set project_created_at = (select p.created_at from projects p where p.id = project_stars.project_id)`,
    sql`create index project_stars_order on project_stars (user_id, project_created_at, project_id)`,
  ]
}
