/** What administrators did, what changed in projects and groups, and who signed in. Names stay when what has them is gone. */
import { type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'
import type { Told } from '../../platform/index.ts'

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
    /** The id of the account that did it, also when the account is gone; null where none did, and of older events. */
    author_id: t.bigint().nullable(),
    /** The path of the account, group or project at that time; null for others, and of older events. */
    target_path: t.text().nullable(),
    /** Null where no request did it, and of older events. */
    ip_address: t.text().nullable(),
    /** Null of older events. */
    told: t.json<Told>().nullable(),
  },
  {
    indexes: {
      actor: ['actor_id', 'id'],
      target: ['target_kind', 'target_id', 'id'],
      own: ['target_kind', 'target_id', 'actor_id', 'id'],
      kind: ['target_kind', 'id'],
      created: ['created_at', 'id'],
    },
  },
)
export type AuditEventsTable = TableOf<typeof auditEvents>

export type AuditEventRow = RowOf<typeof auditEvents>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof auditEvents> {}
}
