import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** Notices that are shown to users for a time (contract 06). */
export function up({ id }: Dialect) {
  return [
    sql`create table broadcast_messages (
      id ${id},
      message text not null,
      starts_at timestamptz not null,
      ends_at timestamptz not null,
      font text not null,
      target_access_levels jsonb not null,
      target_path text,
      broadcast_type text not null,
      theme text not null,
      dismissable boolean not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create index broadcast_messages_end on broadcast_messages (ends_at, id)`,
  ]
}
