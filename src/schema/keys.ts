import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * SSH keys of users and deploy keys, in one id sequence, each fingerprint unique (contract 01, "Keys"). A user's keys are
 * deleted with the user. A deploy key outlives its creator, so it has an `owner_id` instead of a `user_id`; a `public` one
 * may be enabled by all maintainers.
 */
export function up({ id, name }: Dialect) {
  return [
    sql`create table keys (
      id ${id},
      kind text not null,
      user_id bigint references users (id) on delete cascade,
      owner_id bigint references users (id) on delete set null,
      title ${name} not null,
      "key" text not null,
      type text not null,
      fingerprint_md5 text not null,
      fingerprint_sha256 text not null,
      usage_type text not null,
      public boolean not null default false,
      expires_at timestamptz,
      last_used_at timestamptz,
      created_at timestamptz not null,
      constraint keys_owner check ((kind = 'user') = (user_id is not null))
    )`,
    sql`create unique index keys_fingerprint_sha256_unique on keys (fingerprint_sha256)`,
    sql`create index keys_fingerprint_md5 on keys (fingerprint_md5)`,
    sql`create index keys_user on keys (user_id, id)`,
    sql`create index keys_owner on keys (owner_id)`,
    sql`create index keys_deploy on keys (id) where kind = 'deploy'`,
    sql`create index keys_public on keys (id) where public = true`,
  ]
}
