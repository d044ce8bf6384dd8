import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Indexes of users who are not shown or not counted, which are few, of those with two factors, and of the orders by user name. */
export function up({ engine }: Dialect) {
  return [
    sql`create index users_leaving on users (id) where removed_at is not null`,
    sql`create index users_two_factor on users (id) where two_factor_enabled`,
    sql`create index users_username on users (username, id)`,
    sql`create index users_bots_named on users (bot_kind, username, id) where bot_kind is not null`,
    ...(engine === 'postgres'
      ? [sql`create index users_inactive on users (id) where state <> 'active' or removed_at is not null`]
      : []),
  ]
}
