import { sql } from 'kysely'

/** The programming languages of projects, by the bytes of their files (contract 21, x.projects_languages). */
export function up() {
  return [
    sql`create table project_languages (
      project_id bigint not null references projects (id) on delete cascade,
      name text not null,
      size_bytes bigint not null,
      primary key (project_id, name)
    )`,
    sql`create index project_languages_name on project_languages (lower(name), project_id)`,
    sql`create table project_language_heads (
      project_id bigint primary key references projects (id) on delete cascade,
      commit_id text not null
    )`,
  ]
}
