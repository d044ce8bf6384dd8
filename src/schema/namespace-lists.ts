import { sql } from 'kysely'

/** The indexes of lists of groups with all that these compare, so that they count without reading the rows (contract 21). */
export function up() {
  return [
    sql`drop index namespaces_list`,
    sql`create index namespaces_list on namespaces (kind, pending_delete, name, id, visibility)`,
    sql`drop index namespaces_path`,
    sql`create index namespaces_path on namespaces (kind, pending_delete, path, id, visibility)`,
    sql`drop index namespaces_top`,
    sql`create index namespaces_top on namespaces (kind, pending_delete, name, id, visibility) where parent_id is null`,
    // Else SQLite finds what has no parent by it, instead of by the order.
    sql`drop index namespaces_parent`,
    sql`create index namespaces_parent on namespaces (parent_id) where parent_id is not null`,
    sql`create index namespaces_top_order on namespaces ((case when kind = 'user' then 0 else 1 end), id)
      where parent_id is null`,
    sql`create index projects_awaiting on projects (marked_for_deletion_on) where marked_for_deletion_on is not null`,
  ]
}
