import { sql } from 'kysely'

/** The index of enterprise users with what their list is filtered by, so that it counts without reading the rows (contract 3.29). */
export function up() {
  return [
    sql`drop index users_enterprise`,
    sql`create index users_enterprise on users
      (enterprise_group_id, id, removed_at, state, created_at, two_factor_enabled) where enterprise_group_id is not null`,
  ]
}
