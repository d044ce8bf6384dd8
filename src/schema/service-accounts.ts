import { sql } from 'kysely'

/** The groups that made accounts of users, such as service accounts (contract 12). */
export function up() {
  return [
    sql`alter table users add column provisioned_by_group_id bigint references namespaces (id) on delete set null`,
    sql`create index users_provisioned_by on users (provisioned_by_group_id, id)
      where provisioned_by_group_id is not null`,
  ]
}
