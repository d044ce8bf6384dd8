import { type RawBuilder, sql } from 'kysely'
import { type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { geoReplicas, type ReplicaChanges, type ReplicaRow } from '../tables.ts'
import type { ReplicableType } from '../types.ts'

export const { remove: deleteReplica } = rows(geoReplicas)

/** An item as the primary lists it. */
export type ListedItem = {
  id: number
  project_id: number | null
  group_id: number | null
  storage: string | null
  size: number
  checksum: string | null
}

/** The copies of items, by their ids at the primary. */
export async function replicasOf(db: Reader, type: ReplicableType, ids: readonly number[]): Promise<ReplicaRow[]> {
  return db
    .selectFrom('geo_replicas')
    .selectAll()
    .where('type', '=', type)
    .where(within(db, 'replicable_id', ids))
    .execute()
}

export async function replicaOf(db: Reader, type: ReplicableType, id: number): Promise<ReplicaRow | null> {
  return (await replicasOf(db, type, [id]))[0] ?? null
}

/** The copies of a type whose items have ids in a range, both ends included. */
export async function replicasBetween(
  db: Reader,
  type: ReplicableType,
  first: number,
  last: number,
): Promise<ReplicaRow[]> {
  return db
    .selectFrom('geo_replicas')
    .selectAll()
    .where('type', '=', type)
    .where('replicable_id', '>=', first)
    .where('replicable_id', '<=', last)
    .orderBy('replicable_id')
    .execute()
}

/** Adds an item that is to be copied, or describes a known one anew. */
export async function upsertReplica(tx: Tx, type: ReplicableType, item: ListedItem, now: string): Promise<void> {
  const described = {
    project_id: item.project_id,
    group_id: item.group_id,
    storage: item.storage,
    size_bytes: item.size,
  }
  const values = { ...described, type, replicable_id: item.id, primary_checksum: item.checksum, changed_at: now }
  await tx
    .insertInto('geo_replicas')
    .values(values)
    .onConflict((conflict) => conflict.columns(['type', 'replicable_id']).doUpdateSet(described))
    .execute()
}

/** Makes a copy wait for a transfer again: its item has changed. */
export async function markChanged(tx: Tx, type: ReplicableType, id: number, now: string): Promise<void> {
  await tx
    .updateTable('geo_replicas')
    .set({
      version: sql<number>`version + 1`,
      // A transfer that runs notices the version, and waits again when it has ended.
      state: sql`case when state = 'started' then state else 'pending' end`,
      changed_at: now,
      primary_checksum: null,
      retry_at: null,
    })
    .where('type', '=', type)
    .where('replicable_id', '=', id)
    .execute()
}

/** Stores a new checksum of the primary, with which the copy is compared. */
export async function storePrimaryChecksum(tx: Tx, type: ReplicableType, id: number, checksum: string): Promise<void> {
  await tx
    .updateTable('geo_replicas')
    .set({
      primary_checksum: checksum,
      verification: sql`case when state <> 'synced' or missing_on_primary = ${true} then verification
        when verification = 'succeeded' and checksum = ${checksum} then 'succeeded' else 'pending' end`,
      verification_retry_count: 0,
    })
    .where('type', '=', type)
    .where('replicable_id', '=', id)
    .execute()
}

/** Changes a copy unless its item has changed since. @returns false when it has, or the copy is gone */
export async function updateReplica(
  tx: Tx,
  { id, version }: Pick<ReplicaRow, 'id' | 'version'>,
  changes: ReplicaChanges,
): Promise<boolean> {
  const query = tx.updateTable('geo_replicas').set(changes).where('id', '=', id).where('version', '=', version)
  return (await query.executeTakeFirst()).numUpdatedRows > 0n
}

/** Like `updateReplica`, whatever has changed. @returns false when the copy is gone */
export async function updateAnyVersion(tx: Tx, id: number, changes: ReplicaChanges): Promise<boolean> {
  const query = tx.updateTable('geo_replicas').set(changes).where('id', '=', id)
  return (await query.executeTakeFirst()).numUpdatedRows > 0n
}

/** Stores the outcome of a verification. @returns false when the copy, or what it was compared with, has changed since */
export async function finishVerification(tx: Tx, replica: ReplicaRow, outcome: ReplicaChanges): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('geo_replicas')
    .set(outcome)
    .where('id', '=', replica.id)
    .where('version', '=', replica.version)
    .where('primary_checksum', '=', replica.primary_checksum)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Makes a copy wait for verification again, unless it waits for a transfer. */
export async function verifyAgain(tx: Tx, id: number): Promise<void> {
  await tx
    .updateTable('geo_replicas')
    .set({ verification: sql`case when state = 'synced' then 'pending' else 'none' end` })
    .where('id', '=', id)
    .execute()
}

/** Transfers and verifications of a process that has ended wait again. */
export async function resetStarted(tx: Tx): Promise<void> {
  await tx.updateTable('geo_replicas').set({ state: 'pending' }).where('state', '=', 'started').execute()
  await tx.updateTable('geo_replicas').set({ verification: 'pending' }).where('verification', '=', 'started').execute()
}

/** No failure waits longer for its repetition, with a minute by which clocks may differ. */
const longestRetryMs = 86_400_000 + 60_000

/** Makes failures wait again whose time has come, and copies that are to be verified again. */
export async function resumeDue(
  tx: Tx,
  { now, verifiedBefore }: { now: string; verifiedBefore: string },
): Promise<void> {
  // Later times than these were stored while the clock was ahead.
  const longestRetry = new Date(Date.parse(now) + longestRetryMs).toISOString()
  await tx
    .updateTable('geo_replicas')
    .set({ state: 'pending', retry_at: null })
    .where((eb) => eb.or([eb('retry_at', '<=', now), eb('retry_at', '>', longestRetry)]))
    .where('state', 'in', ['failed', 'synced'])
    .execute()
  await tx
    .updateTable('geo_replicas')
    .set({ verification: 'pending', verification_retry_at: null })
    .where('state', '=', 'synced')
    .where((eb) =>
      eb.or([
        eb.and([eb('verification', '=', 'failed'), eb('verification_retry_at', '<=', now)]),
        eb.and([eb('verification', '=', 'failed'), eb('verification_retry_at', '>', longestRetry)]),
        eb.and([eb('verification', '=', 'succeeded'), eb('verified_at', '<=', verifiedBefore)]),
        eb.and([eb('verification', '=', 'succeeded'), eb('verified_at', '>', longestRetry)]),
      ]),
    )
    .execute()
}

/** Copies that wait for a transfer: those that have never failed first, the oldest change first. */
export async function waitingForTransfer(
  db: Reader,
  types: readonly ReplicableType[],
  limit: number,
): Promise<ReplicaRow[]> {
  return db
    .selectFrom('geo_replicas')
    .selectAll()
    .where('state', '=', 'pending')
    .where(within(db, 'type', types))
    .orderBy(sql`case when retry_count = 0 then 0 else 1 end`)
    .orderBy('changed_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Copies that wait for verification, whose checksum the primary has computed. */
export async function waitingForVerification(db: Reader, limit: number): Promise<ReplicaRow[]> {
  return db
    .selectFrom('geo_replicas')
    .selectAll()
    .where('verification', '=', 'pending')
    .where('state', '=', 'synced')
    .where('primary_checksum', 'is not', null)
    .orderBy('changed_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Begins a transfer or a verification. @returns false when another process has, or the item has changed */
export async function claim(tx: Tx, { id, version }: ReplicaRow, what: 'state' | 'verification', now: string) {
  const set = what === 'state' ? { state: 'started' as const, attempted_at: now } : { verification: 'started' as const }
  const { numUpdatedRows } = await tx
    .updateTable('geo_replicas')
    .set(set)
    .where('id', '=', id)
    .where('version', '=', version)
    .where(what, '=', 'pending')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** What is counted of the copies of a type. */
export type ReplicaCounts = {
  type: ReplicableType
  registry: number
  synced: number
  failed: number
  verified: number
  verification_failed: number
  missing: number
  mismatch: number
  retrying: number
}

const countIf = (condition: RawBuilder<unknown>) => sql<number>`sum(case when ${condition} then 1 else 0 end)`

/** The numbers of copies by type and state, in one query. */
export async function countReplicas(db: Reader): Promise<ReplicaCounts[]> {
  const rows = await db
    .selectFrom('geo_replicas')
    .select('type')
    .select((eb) => [
      eb.fn.countAll<number>().as('registry'),
      countIf(sql`state = 'synced'`).as('synced'),
      countIf(sql`state = 'failed'`).as('failed'),
      countIf(sql`state = 'synced' and verification = 'succeeded'`).as('verified'),
      countIf(sql`verification = 'failed'`).as('verification_failed'),
      countIf(sql`missing_on_primary = ${true}`).as('missing'),
      countIf(sql`checksum_mismatch = ${true}`).as('mismatch'),
      countIf(sql`verification = 'failed' and verification_retry_count > 0`).as('retrying'),
    ])
    .groupBy('type')
    .execute()
  return rows.map(({ type, ...counts }) => {
    const numbers = Object.entries(counts).map(([name, count]) => [name, Number(count)])
    return { type, ...Object.fromEntries(numbers) } as ReplicaCounts
  })
}

/** Whether anything waits or runs. */
export async function hasWork(db: Reader): Promise<boolean> {
  const row = await db
    .selectFrom('geo_replicas')
    .select('id')
    .where('state', 'in', ['pending', 'started'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
