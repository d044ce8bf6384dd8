import { sql } from 'kysely'

/** The index by which accounts of programs are read in the order of their names. */
export function up() {
  return [sql`create index users_bots_named on users (bot_kind, username, id) where bot_kind is not null`]
}
