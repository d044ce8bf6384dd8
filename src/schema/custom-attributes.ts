import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Custom attributes of users, groups and projects (contract 20, 21): exactly one of the three ids is set. */
export function up({ id }: Dialect) {
  return [
    sql`create table custom_attributes (
      id ${id},
      user_id bigint references users (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      project_id bigint references projects (id) on delete cascade,
      "key" text not null,
      value text not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index custom_attributes_user_unique on custom_attributes (user_id, "key")
      where user_id is not null`,
    sql`create unique index custom_attributes_namespace_unique on custom_attributes (namespace_id, "key")
      where namespace_id is not null`,
    sql`create unique index custom_attributes_project_unique on custom_attributes (project_id, "key")
      where project_id is not null`,
    sql`create index custom_attributes_key on custom_attributes ("key", id)`,
  ]
}
