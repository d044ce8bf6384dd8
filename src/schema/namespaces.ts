import { sql } from 'kysely'
import { type Dialect, textIndex } from '../infra/database/index.ts'

/**
 * User namespaces and groups, in one id sequence (contract 21). `namespace_ancestors` has one row for each namespace and
 * each of its ancestors, and one for the namespace itself (depth 0): descendants and inherited roles take one join each.
 */
export function up(dialect: Dialect) {
  const { id, name } = dialect
  return [
    sql`create table namespaces (
      id ${id},
      kind text not null,
      name ${name} not null,
      path ${name} not null,
      full_path ${name} not null,
      full_name ${name} not null,
      parent_id bigint references namespaces (id) on delete cascade,
      owner_id bigint references users (id) on delete cascade,
      visibility text not null,
      description text not null default '',
      avatar text,
      settings jsonb not null default '{}',
      marked_for_deletion_on date,
      original_path text,
      pending_delete boolean not null default false,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index namespaces_full_path_unique on namespaces (lower(full_path))`,
    sql`create unique index namespaces_owner_unique on namespaces (owner_id) where owner_id is not null`,
    sql`create unique index namespaces_name_unique on namespaces (parent_id, lower(name)) where parent_id is not null`,
    sql`create index namespaces_parent on namespaces (parent_id)`,
    sql`create index namespaces_list on namespaces (kind, name, id)`,
    sql`create index namespaces_path on namespaces (kind, path, id)`,
    sql`create index namespaces_top on namespaces (kind, name, id) where parent_id is null`,
    sql`create index namespaces_order on namespaces ((case when kind = 'user' then 0 else 1 end), id)`,
    sql`create index namespaces_marked on namespaces (marked_for_deletion_on) where original_path is not null`,
    ...textIndex(dialect, 'namespaces', ['name', 'path', 'full_path']),
    sql`create table namespace_ancestors (
      namespace_id bigint not null references namespaces (id) on delete cascade,
      ancestor_id bigint not null references namespaces (id) on delete cascade,
      depth integer not null,
      primary key (namespace_id, ancestor_id)
    )`,
    sql`create index namespace_ancestors_below on namespace_ancestors (ancestor_id, namespace_id)`,
  ]
}
