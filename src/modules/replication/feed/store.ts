import { sql } from 'kysely'
import { acquireLock, continueIds, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { ChecksumRow, EventAction, EventRow } from '../tables.ts'
import type { ReplicableType } from '../types.ts'

export type NewEvent = {
  type: ReplicableType | null
  action: EventAction
  checksum?: string | null
  now: string
}

/**
 * Appends an event for each id. Transactions that append take turns on PostgreSQL: a reader that has seen an event has seen
 * all before it.
 */
export async function appendEvents(tx: Tx, ids: readonly number[], event: NewEvent): Promise<void> {
  if (ids.length === 0) return
  await acquireLock(tx, 'geo_events')
  const { type, action, checksum = null, now } = event
  await tx
    .insertInto('geo_events')
    .values(ids.map((id) => ({ type, replicable_id: id, action, checksum, created_at: now })))
    .execute()
}

/** The oldest events after one. */
export async function eventsAfter(db: Reader, id: number, limit: number): Promise<EventRow[]> {
  return db.selectFrom('geo_events').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute()
}

/** The newest event; null in an empty log. */
export async function newestEvent(db: Reader): Promise<Pick<EventRow, 'id' | 'created_at'> | null> {
  const query = db.selectFrom('geo_events').select(['id', 'created_at']).orderBy('id', 'desc').limit(1)
  return (await query.executeTakeFirst()) ?? null
}

/** The oldest event that is still there; null in an empty log. */
export async function oldestEventId(db: Reader): Promise<number | null> {
  const query = db.selectFrom('geo_events').select('id').orderBy('id').limit(1)
  return (await query.executeTakeFirst())?.id ?? null
}

/** Deletes events from before a time, but the newest of all: its id is where readers are. */
export async function deleteEventsBefore(tx: Tx, before: string): Promise<void> {
  await tx
    .deleteFrom('geo_events')
    .where('created_at', '<', before)
    .where('id', '<', (eb) => eb.selectFrom('geo_events as newest').select((max) => max.fn.max('newest.id').as('id')))
    .execute()
}

/** Marks the checksums of items as out of date. */
export async function expireChecksums(
  tx: Tx,
  type: ReplicableType,
  ids: readonly number[],
  now: string,
): Promise<void> {
  if (ids.length === 0) return
  await tx
    .insertInto('geo_checksums')
    .values(ids.map((id) => ({ type, replicable_id: id, state: 'pending' as const, due_at: now })))
    .onConflict((conflict) =>
      conflict.columns(['type', 'replicable_id']).doUpdateSet({
        state: 'pending',
        version: sql<number>`geo_checksums.version + 1`,
        failure: null,
        due_at: now,
      }),
    )
    .execute()
}

export async function deleteChecksums(tx: Tx, type: ReplicableType, ids: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('geo_checksums')
    .where('type', '=', type)
    .where(within(tx, 'replicable_id', ids))
    .execute()
}

/** Checksums that are to be computed, those due longest first. */
export async function dueChecksums(db: Reader, now: string, limit: number): Promise<ChecksumRow[]> {
  return db
    .selectFrom('geo_checksums')
    .selectAll()
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('type')
    .orderBy('replicable_id')
    .limit(limit)
    .execute()
}

export type Computed =
  | { state: 'succeeded'; checksum: string; checksummed_at: string; due_at: string }
  | { state: 'failed'; failure: string; due_at: string }

/** Stores a checksum unless the item has changed since. @returns false when it has */
export async function storeChecksum(
  tx: Tx,
  { type, replicable_id, version }: Pick<ChecksumRow, 'type' | 'replicable_id' | 'version'>,
  computed: Computed,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('geo_checksums')
    .set(computed.state === 'succeeded' ? { ...computed, failure: null } : computed)
    .where('type', '=', type)
    .where('replicable_id', '=', replicable_id)
    .where('version', '=', version)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The checksum of an item, unless it has changed since it was computed. */
export async function currentChecksum(db: Reader, type: ReplicableType, id: number): Promise<string | null> {
  const row = await db
    .selectFrom('geo_checksums')
    .select(['state', 'checksum'])
    .where('type', '=', type)
    .where('replicable_id', '=', id)
    .executeTakeFirst()
  return row?.state === 'succeeded' ? row.checksum : null
}

/** The checksums of items that have not changed since they were computed, by id. */
export async function currentChecksums(
  db: Reader,
  type: ReplicableType,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom('geo_checksums')
    .select(['replicable_id', 'checksum'])
    .where('type', '=', type)
    .where('state', '=', 'succeeded')
    .where(within(db, 'replicable_id', ids))
    .execute()
  return new Map(rows.flatMap(({ replicable_id: id, checksum }) => (checksum === null ? [] : [[id, checksum]])))
}

/** The items that were created or changed after an event. */
export async function changedAfter(db: Reader, id: number): Promise<{ type: ReplicableType; id: number }[]> {
  const rows = await db
    .selectFrom('geo_events')
    .select(['type', 'replicable_id as id'])
    .where('id', '>', id)
    .where('action', 'in', ['created', 'updated'])
    .distinct()
    .execute()
  return rows.flatMap(({ type, id }) => (type === null ? [] : [{ type, id }]))
}

/** Begins a new log: a secondary that has read another one finds its place gone, and compares everything. */
export async function restartLog(tx: Tx, lastId: number): Promise<void> {
  await tx.deleteFrom('geo_events').execute()
  await continueIds(tx, { name: 'geo_events', columns: [], lastId })
}

/** Marks all checksums as out of date. */
export async function expireAllChecksums(tx: Tx, now: string): Promise<void> {
  await tx
    .updateTable('geo_checksums')
    .set({ state: 'pending', version: sql<number>`version + 1`, failure: null, due_at: now })
    .execute()
}

/** Numbers of computed and failed checksums, by type. */
export async function countChecksums(db: Reader): Promise<Map<ReplicableType, { succeeded: number; failed: number }>> {
  const rows = await db
    .selectFrom('geo_checksums')
    .select((eb) => ['type', 'state', eb.fn.countAll<number>().as('count')])
    .groupBy(['type', 'state'])
    .execute()
  const counts = new Map<ReplicableType, { succeeded: number; failed: number }>()
  for (const { type, state, count } of rows) {
    const found = counts.get(type) ?? { succeeded: 0, failed: 0 }
    if (state !== 'pending') found[state] = Number(count)
    counts.set(type, found)
  }
  return counts
}

/** Makes checksums due that were computed before a time. */
export async function makeOldDue(tx: Tx, before: string, now: string): Promise<void> {
  await tx
    .updateTable('geo_checksums')
    .set({ due_at: now })
    .where('state', '=', 'succeeded')
    // A later time than the present was stored while the clock was ahead.
    .where((eb) => eb.or([eb('checksummed_at', '<', before), eb('checksummed_at', '>', now)]))
    .where('due_at', '>', now)
    .execute()
}
