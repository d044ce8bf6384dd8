import type { Generated, Selectable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'

export type AuditEventsTable = {
  id: Generated<number>
  act: string
  /** Null when the account is gone. */
  actor_id: number | null
  actor_name: string
  credential: string
  target_kind: string
  /** Null for the instance. */
  target_id: number | null
  /** The id, key or name of the part of the target, where it has parts. */
  detail: string | null
  /** Names of what changed. */
  changed: Json<string[]>
  created_at: string
}

export type AuditEventRow = Selectable<AuditEventsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    audit_events: AuditEventsTable
  }
}
