import { sql } from 'kysely'
import { type Dialect, textIndex } from '../infra/database/index.ts'

/** Projects, their topics and their stars (contract 21). */
export function up(dialect: Dialect) {
  const { id, name } = dialect
  return [
    sql`create table projects (
      id ${id},
      namespace_id bigint not null references namespaces (id) on delete cascade,
      name ${name} not null,
      path ${name} not null,
      full_path ${name} not null,
      description text,
      visibility text not null,
      creator_id bigint references users (id) on delete set null,
      archived boolean not null default false,
      default_branch text,
      readme_path text,
      star_count integer not null default 0,
      forked_from_id bigint references projects (id) on delete set null,
      import_status text not null default 'none',
      import_url text,
      import_error text,
      avatar text,
      settings jsonb not null default '{}',
      marked_for_deletion_on date,
      original_path text,
      pending_delete boolean not null default false,
      created_by_push boolean not null default false,
      last_activity_at timestamptz not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index projects_full_path_unique on projects (lower(full_path))`,
    sql`create unique index projects_name_unique on projects (namespace_id, lower(name))`,
    sql`create index projects_namespace on projects (namespace_id, id)`,
    sql`create index projects_creator on projects (creator_id)`,
    sql`create index projects_forked_from on projects (forked_from_id, pending_delete)`,
    sql`create index projects_created_at on projects (created_at, id)`,
    sql`create index projects_updated_at on projects (updated_at, id)`,
    sql`create index projects_last_activity_at on projects (last_activity_at, id)`,
    sql`create index projects_name on projects (name, id)`,
    sql`create index projects_path on projects (path, id)`,
    sql`create index projects_star_count on projects (star_count, id)`,
    sql`create index projects_visibility on projects (visibility, created_at, id, pending_delete)`,
    sql`create index projects_archived on projects (created_at, id, pending_delete) where archived = true`,
    sql`create index projects_imported on projects (created_at, id, pending_delete) where import_url is not null`,
    sql`create index projects_lower_name on projects (lower(name))`,
    sql`create index projects_lower_path on projects (lower(path))`,
    sql`create index projects_short_description on projects (lower(description)) where length(description) < 3`,
    sql`create index projects_marked on projects (marked_for_deletion_on) where original_path is not null`,
    sql`create index projects_leaving on projects (id) where pending_delete = true`,
    sql`create index projects_cleanup_due on projects ((settings -> 'container_expiration_policy' ->> 'next_run_at'))
      where (settings -> 'container_expiration_policy' -> 'enabled') = 'true'`,
    ...textIndex(dialect, 'projects', ['name', 'path', 'full_path', 'description']),
    sql`create table project_topics (
      project_id bigint not null references projects (id) on delete cascade,
      name ${name} not null,
      position integer not null,
      primary key (project_id, name)
    )`,
    sql`create index project_topics_name on project_topics (name, project_id)`,
    sql`create table project_stars (
      project_id bigint not null references projects (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      created_at timestamptz not null,
      primary key (project_id, user_id)
    )`,
    sql`create index project_stars_user on project_stars (user_id, project_id)`,
  ]
}
