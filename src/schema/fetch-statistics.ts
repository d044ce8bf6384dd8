import { sql } from 'kysely'

/** How often projects were cloned and fetched, by day (contract 21, x.projects_statistics). */
export function up() {
  return [
    sql`create table project_fetches (
      project_id bigint not null references projects (id) on delete cascade,
      day date not null,
      number bigint not null,
      primary key (project_id, day)
    )`,
    sql`create index project_fetches_day on project_fetches (day)`,
  ]
}
