import { sql } from 'kysely'

/** Accounts whose removal has begun, and where people signed in from (contract 20, x.users_delete, User level D). */
export function up() {
  return [
    sql`alter table users add column removed_at timestamptz`,
    sql`alter table users add column current_sign_in_ip text`,
    sql`alter table users add column last_sign_in_ip text`,
  ]
}
