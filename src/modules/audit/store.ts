import type { Insertable } from 'kysely'
import type { Reader, Tx } from '../../infra/database/index.ts'
import type { AuditEventRow, AuditEventsTable } from './tables.ts'

export async function insertEvent(tx: Tx, event: Insertable<AuditEventsTable>): Promise<void> {
  await tx.insertInto('audit_events').values(event).execute()
}

/** Which acts are read, the newest first. */
export type AuditFilter = {
  /** Username of the administrator. */
  actor?: string
  act?: string
  /** Id of the user, group, project or application that was acted on. */
  target?: { kind: string; id: number }
  /** Only acts before this one. */
  before?: number
  limit: number
}

export async function auditEvents(db: Reader, filter: AuditFilter): Promise<AuditEventRow[]> {
  const { actor, act, target, before, limit } = filter
  let query = db.selectFrom('audit_events').selectAll()
  if (actor !== undefined) query = query.where('actor_name', '=', actor)
  if (act !== undefined) query = query.where('act', '=', act)
  if (target) query = query.where('target_kind', '=', target.kind).where('target_id', '=', target.id)
  if (before !== undefined) query = query.where('id', '<', before)
  return query.orderBy('id', 'desc').limit(limit).execute()
}
