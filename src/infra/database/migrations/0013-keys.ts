import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * SSH keys of users, and deploy keys beside them: one id sequence, and no key twice (contract 01, "Keys"). A user's keys
 * go with the user; a deploy key outlives whoever made it, so it has no `user_id`.
 */
export function up({ id, name }: Dialect) {
  return [
    sql`create table keys (
      id ${id},
      kind text not null,
      user_id bigint references users (id) on delete cascade,
      title ${name} not null,
      "key" text not null,
      type text not null,
      fingerprint_md5 text not null,
      fingerprint_sha256 text not null,
      usage_type text not null,
      expires_at timestamptz,
      last_used_at timestamptz,
      created_at timestamptz not null,
      constraint keys_owner check ((kind = 'user') = (user_id is not null))
    )`,
    sql`create unique index keys_fingerprint_sha256_unique on keys (fingerprint_sha256)`,
    sql`create index keys_fingerprint_md5 on keys (fingerprint_md5)`,
    sql`create index keys_user on keys (user_id, id)`,
  ]
}
