import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** A custom attribute has one of three owners. */
const owners = [
  ['custom_attributes_users', 'user_id'],
  ['custom_attributes_namespaces', 'namespace_id'],
  ['custom_attributes_projects', 'project_id'],
] as const

/**
 * Indexes by which filters find and count groups without their rows, and those who have custom attributes: by the first characters of
 * the value on PostgreSQL, whose entries are limited.
 */
export function up({ engine }: Dialect) {
  const value = sql.raw(engine === 'postgres' ? 'left(value, 100)' : 'value')
  return [
    sql`drop index custom_attributes_key`,
    ...owners.map(
      ([name, owner]) => sql`create index ${sql.ref(name)} on custom_attributes ("key", ${value}, ${sql.ref(owner)})
        where ${sql.ref(owner)} is not null`,
    ),
    sql`drop index namespaces_list`,
    sql`create index namespaces_list on namespaces
      (kind, pending_delete, name, id, visibility, path, marked_for_deletion_on)`,
    // SQLite counts by the newest of the indexes that serve equally: by a short one, and by that of top-level groups alone.
    sql`drop index namespaces_path`,
    sql`create index namespaces_path on namespaces (kind, pending_delete, path, id, visibility)`,
    sql`drop index namespaces_top`,
    sql`create index namespaces_top on namespaces (kind, pending_delete, name, id, visibility) where parent_id is null`,
    sql`drop index namespaces_parent`,
    sql`create index namespaces_parent on namespaces (parent_id, kind, pending_delete, name, id, visibility, path)
      where parent_id is not null`,
    sql`create index namespaces_stored on namespaces ((settings ->> 'repository_storage'))
      where kind = 'group' and settings ->> 'repository_storage' is not null`,
    sql`create index namespaces_awaiting on namespaces (marked_for_deletion_on) where marked_for_deletion_on is not null`,
    // SQLite sorts the ids that another index has.
    ...(engine === 'postgres' ? [sql`create index namespaces_groups on namespaces (id) where kind = 'group'`] : []),
  ]
}
