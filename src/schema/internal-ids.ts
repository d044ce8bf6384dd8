import { sql } from 'kysely'

/** The last iid given out for each kind of resource in a project or a group: iids are never reused. */
export function up() {
  return [
    sql`create table internal_ids (
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      kind text not null,
      last_value integer not null,
      check ((project_id is null) <> (namespace_id is null))
    )`,
    sql`create unique index internal_ids_project_unique on internal_ids (project_id, kind) where project_id is not null`,
    sql`create unique index internal_ids_namespace_unique on internal_ids (namespace_id, kind)
      where namespace_id is not null`,
  ]
}
