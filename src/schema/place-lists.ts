import { sql } from 'kysely'

/**
 * Indexes that have all that lists of many rows compare, so that they count without reading the rows: the projects of a namespace and
 * the forks of a project, in the order of these lists, and the users of a group.
 */
export function up() {
  return [
    sql`create index projects_in_namespace on projects (namespace_id, pending_delete, created_at, id, visibility)`,
    sql`drop index projects_forked_from`,
    sql`create index projects_forked_from on projects
      (forked_from_id, pending_delete, created_at, id, visibility, namespace_id)`,
    sql`drop index users_enterprise`,
    sql`create index users_enterprise on users (enterprise_group_id, id, removed_at)
      where enterprise_group_id is not null`,
    sql`drop index users_provisioned_by`,
    sql`create index users_provisioned_by on users (provisioned_by_group_id, id, removed_at, bot_kind)
      where provisioned_by_group_id is not null`,
  ]
}
