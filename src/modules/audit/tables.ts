/** What administrators did. The name of the administrator stays when the account is gone. */
import { type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const auditEvents = table(
  'audit_events',
  {
    id: t.id(),
    act: t.text(),
    /** Null when the account is gone. */
    actor_id: t.refers('users', 'set null').nullable(),
    actor_name: t.name(),
    credential: t.text(),
    target_kind: t.text(),
    /** Null for the instance. */
    target_id: t.bigint().nullable(),
    /** Names of what changed. */
    changed: t.json<string[]>(),
    created_at: t.time(),
    /** The id, key or name of the part of the target, where it has parts. */
    detail: t.text().nullable(),
  },
  {
    indexes: { actor: ['actor_id', 'id'], target: ['target_kind', 'target_id', 'id'] },
  },
)
export type AuditEventsTable = TableOf<typeof auditEvents>

export type AuditEventRow = RowOf<typeof auditEvents>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof auditEvents> {}
}
