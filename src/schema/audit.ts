import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** What administrators did. The name of the administrator stays when the account is gone. */
export function up({ id, name }: Dialect) {
  return [
    sql`create table audit_events (
      id ${id},
      act text not null,
      actor_id bigint references users (id) on delete set null,
      actor_name ${name} not null,
      credential text not null,
      target_kind text not null,
      target_id bigint,
      changed jsonb not null,
      created_at timestamptz not null
    )`,
    sql`create index audit_events_actor on audit_events (actor_id, id)`,
    sql`create index audit_events_target on audit_events (target_kind, target_id, id)`,
  ]
}
