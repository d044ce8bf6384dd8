import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * Access tokens, OAuth tokens and deploy tokens (contract 20), stored as SHA-256 digests. `family_id` is the id of the
 * first token in a chain of rotations: the use of a revoked token revokes the whole family.
 */
export function up({ id, name }: Dialect) {
  return [
    sql`create table access_tokens (
      id ${id},
      kind text not null,
      user_id bigint not null references users (id) on delete cascade,
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      family_id bigint,
      access_level integer,
      name ${name} not null,
      description text,
      digest text not null,
      scopes jsonb not null,
      revoked boolean not null default false,
      expires_at date,
      last_used_at timestamptz,
      created_at timestamptz not null
    )`,
    sql`create unique index access_tokens_digest_unique on access_tokens (digest)`,
    sql`create index access_tokens_user on access_tokens (user_id, id)`,
    sql`create index access_tokens_project on access_tokens (project_id)`,
    sql`create index access_tokens_namespace on access_tokens (namespace_id)`,
    sql`create index access_tokens_family on access_tokens (family_id)`,
    sql`create table oauth_tokens (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      digest text not null,
      refresh_digest text not null,
      scopes jsonb not null,
      expires_at timestamptz not null,
      revoked boolean not null default false,
      created_at timestamptz not null
    )`,
    sql`create unique index oauth_tokens_digest_unique on oauth_tokens (digest)`,
    sql`create unique index oauth_tokens_refresh_unique on oauth_tokens (refresh_digest)`,
    sql`create index oauth_tokens_user on oauth_tokens (user_id)`,
    sql`create table deploy_tokens (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      name ${name} not null,
      username ${name} not null,
      digest text not null,
      scopes jsonb not null,
      expires_at timestamptz,
      revoked boolean not null default false,
      created_by_id bigint references users (id) on delete set null,
      created_at timestamptz not null
    )`,
    sql`create unique index deploy_tokens_digest_unique on deploy_tokens (digest)`,
    sql`create index deploy_tokens_project on deploy_tokens (project_id)`,
    sql`create index deploy_tokens_namespace on deploy_tokens (namespace_id)`,
    sql`create index deploy_tokens_created_by on deploy_tokens (created_by_id)`,
  ]
}
