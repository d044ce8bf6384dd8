import { sql } from 'kysely'

/** Which access tokens have been recorded as expired, and the index by which a daily job finds the others (contract 20 R4). */
export function up() {
  return [
    sql`alter table access_tokens add column expiry_recorded boolean not null default false`,
    sql`create index access_tokens_expiry on access_tokens (expires_at, id)
      where revoked = false and expiry_recorded = false`,
  ]
}
