import { type Insertable, sql } from 'kysely'
import { badRequest, cursorFor, maximumTotal, type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { type Reader, type Tx, unindexed } from '../../infra/database/index.ts'
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

/** What events are about: accounts, groups and projects; all else is of the instance. */
export type EntityKind = 'user' | 'group' | 'project' | 'instance'

/** Which events: about what, by which account. The id of the instance is 1. */
export type EventScope = { kind?: EntityKind; id?: number; actorId?: number }

/** ISO times, the first and the last one, and the id before which events are. */
export type Period = { after?: string | undefined; before?: string | undefined; beforeId?: number | undefined }

/** The targets of the events of the instance. */
const instanceTargets = ['instance', 'application', 'runner'] as const

const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

/** A time some milliseconds later, within the years that both engines know. */
export function shifted(time: string, byMs: number): string {
  return new Date(Math.min(Math.max(Date.parse(time) + byMs, 0), lastMs)).toISOString()
}

/** Ids rise with the times, but for those of transactions that ran at once; none takes so long. */
const longestTransactionMs = 3_600_000

/** The events of a period: they are between two ids, which the times find, so that others are not read. */
function eventsIn(db: Reader, { after, before, beforeId }: Period) {
  let query = db.selectFrom('audit_events').selectAll()
  if (after !== undefined) {
    const older = db
      .selectFrom('audit_events')
      .select('id')
      .where('created_at', '<', shifted(after, -longestTransactionMs))
    const last = older.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1)
    query = query.where(sql<boolean>`audit_events.id > coalesce((${last}), 0)`)
    query = query.where(sql<boolean>`${unindexed(db, 'created_at')} >= ${after}`)
  }
  if (before !== undefined) {
    const newer = db
      .selectFrom('audit_events')
      .select('id')
      .where('created_at', '>', shifted(before, longestTransactionMs))
    const first = newer.orderBy('created_at').orderBy('id').limit(1)
    query = query.where(sql<boolean>`audit_events.id < coalesce((${first}), ${sql.lit(Number.MAX_SAFE_INTEGER)})`)
    query = query.where(sql<boolean>`${unindexed(db, 'created_at')} <= ${before}`)
  }
  return beforeId === undefined ? query : query.where('id', '<', beforeId)
}

/** The events about the instance: the newest of each kind of target, which an index finds. @param most how many of each */
function eventsOfInstance(db: Reader, period: Period, most: number) {
  const [first, ...others] = instanceTargets.map((kind) => {
    const newest = eventsIn(db, period).where('target_kind', '=', kind).orderBy('id', 'desc').limit(most)
    return db.selectFrom(newest.as('newest')).select('newest.id')
  })
  const ids = others.reduce((all, one) => all.unionAll(one), first as NonNullable<typeof first>)
  return db.selectFrom('audit_events').selectAll().where('id', 'in', ids)
}

function eventsOf(db: Reader, { kind, id, actorId }: EventScope, period: Period, most: number) {
  if (kind === 'instance' && (id ?? 1) === 1) return eventsOfInstance(db, period, most)
  let query = eventsIn(db, period)
  if (kind !== undefined) query = query.where('target_kind', '=', kind)
  if (id !== undefined) query = query.where('target_id', '=', id)
  if (actorId !== undefined) query = query.where('actor_id', '=', actorId)
  return query
}

/** A page of events, the newest first. @throws ApiError 400 for a cursor of another list */
export async function pageOfEvents(
  db: Reader,
  scope: EventScope,
  period: Period,
  page: PageRequest,
): Promise<Page<AuditEventRow>> {
  const [after] = page.kind === 'keyset' ? (page.after ?? []) : []
  const beforeId = after === undefined ? undefined : Number(after)
  if (beforeId !== undefined && !Number.isSafeInteger(beforeId)) throw badRequest('invalid cursor')
  // As many as a page with all before it may need, and as are counted.
  const most = Math.max(maximumTotal, page.kind === 'offset' ? page.offset + page.limit : page.limit) + 1
  const query = eventsOf(db, scope, { ...period, beforeId }, most)
  const found = await pageOfRows(db, query.orderBy('id', 'desc'), page)
  const last = found.items.at(-1)
  if (page.kind !== 'keyset' || !last || !found.hasNext) return found
  return { ...found, next: { cursor: cursorFor([last.id]) } }
}

/** An event about this, or about anything. */
export async function eventById(
  db: Reader,
  { kind, id: targetId }: Pick<EventScope, 'kind' | 'id'>,
  id: number,
): Promise<AuditEventRow | null> {
  let query = db.selectFrom('audit_events').selectAll().where('id', '=', id)
  if (kind !== undefined && kind !== 'instance') query = query.where('target_kind', '=', kind)
  if (targetId !== undefined) query = query.where('target_id', '=', targetId)
  return (await query.executeTakeFirst()) ?? null
}

/** Deletes the oldest events from before a time. @returns how many */
export async function deleteEventsBefore(tx: Tx, time: string, limit: number): Promise<number> {
  const due = tx.selectFrom('audit_events').select('id').where('created_at', '<', time)
  const oldest = due.orderBy('created_at').orderBy('id').limit(limit)
  const deleted = await tx.deleteFrom('audit_events').where('id', 'in', oldest).executeTakeFirst()
  return Number(deleted.numDeletedRows)
}
