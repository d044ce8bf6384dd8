import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * OpenPGP keys of users with their subkeys (contract 20). A key that was removed or revoked stays for the commits that it
 * signed; of the keys in use, each fingerprint is unique.
 */
export function up({ id }: Dialect) {
  return [
    sql`create table gpg_keys (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      "key" text not null,
      fingerprint text not null,
      key_id text not null,
      identities jsonb not null,
      state text not null default 'active',
      ended_at timestamptz,
      created_at timestamptz not null
    )`,
    sql`create unique index gpg_keys_fingerprint_unique on gpg_keys (fingerprint) where state = 'active'`,
    sql`create index gpg_keys_user on gpg_keys (user_id, id)`,
    sql`create index gpg_keys_key_id on gpg_keys (key_id, id)`,
    sql`create table gpg_subkeys (
      id ${id},
      gpg_key_id bigint not null references gpg_keys (id) on delete cascade,
      fingerprint text not null,
      key_id text not null
    )`,
    sql`create index gpg_subkeys_key on gpg_subkeys (gpg_key_id)`,
    sql`create index gpg_subkeys_key_id on gpg_subkeys (key_id, id)`,
  ]
}
