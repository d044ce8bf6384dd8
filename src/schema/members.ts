import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Members of groups and projects, and shares of groups and projects with groups (contract 21). */
export function up({ id }: Dialect) {
  return [
    sql`create table members (
      id ${id},
      namespace_id bigint references namespaces (id) on delete cascade,
      project_id bigint references projects (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      access_level integer not null,
      expires_at date,
      created_by_id bigint references users (id) on delete set null,
      created_at timestamptz not null,
      check ((namespace_id is null) <> (project_id is null))
    )`,
    sql`create unique index members_namespace_unique on members (namespace_id, user_id) where namespace_id is not null`,
    sql`create unique index members_project_unique on members (project_id, user_id) where project_id is not null`,
    // With all columns that decide about the roles of a user, so that their rows are not read.
    sql`create index members_user on members (user_id, access_level, namespace_id, project_id, expires_at)`,
    sql`create index members_created_by on members (created_by_id)`,
    sql`create table group_links (
      id ${id},
      group_id bigint not null references namespaces (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      project_id bigint references projects (id) on delete cascade,
      access_level integer not null,
      expires_at date,
      created_at timestamptz not null,
      check ((namespace_id is null) <> (project_id is null))
    )`,
    sql`create unique index group_links_namespace_unique on group_links (namespace_id, group_id) where namespace_id is not null`,
    sql`create unique index group_links_project_unique on group_links (project_id, group_id) where project_id is not null`,
    sql`create index group_links_group on group_links (group_id)`,
  ]
}
