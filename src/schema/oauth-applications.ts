import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Applications that are clients of OAuth, and the tokens that they got (contract 20). */
export function up({ id, name }: Dialect) {
  return [
    sql`create table oauth_applications (
      id ${id},
      uid text not null,
      secret_digest text not null,
      name ${name} not null,
      redirect_uri text not null,
      scopes jsonb not null,
      confidential boolean not null default true,
      created_at timestamptz not null
    )`,
    sql`create unique index oauth_applications_uid_unique on oauth_applications (uid)`,
    sql`alter table oauth_tokens add column application_id bigint references oauth_applications (id) on delete cascade`,
    sql`create index oauth_tokens_application on oauth_tokens (application_id)`,
  ]
}
