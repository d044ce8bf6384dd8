import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Instance settings, and the log of submissions classified as spam (contract 20). */
export function up({ id }: Dialect) {
  return [
    sql`create table application_settings (
      id integer primary key,
      changed jsonb not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create table spam_logs (
      id ${id},
      user_id bigint references users (id) on delete cascade,
      kind text not null,
      verified boolean not null default false,
      created_at timestamptz not null
    )`,
    sql`create index spam_logs_user on spam_logs (user_id)`,
  ]
}
