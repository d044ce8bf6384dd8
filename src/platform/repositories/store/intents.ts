import { type RawBuilder, sql } from 'kysely'
import { locked, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { RecordedChange, RefIntentRow } from '../tables.ts'

type NewIntent = {
  repositoryId: number
  userId: number | null
  updates: readonly RecordedChange[]
  process: string
  now: string
}

export async function insertIntent(tx: Tx, intent: NewIntent): Promise<number> {
  const { id } = await tx
    .insertInto('ref_intents')
    .values({
      repository_id: intent.repositoryId,
      user_id: intent.userId,
      updates: JSON.stringify(intent.updates),
      process: intent.process,
      created_at: intent.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Deletes an intent. @returns it; null when it was settled before */
export async function deleteIntent(tx: Tx, id: number): Promise<RefIntentRow | null> {
  return (await tx.deleteFrom('ref_intents').where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

/**
 * Settles an intent for a process that has ended. The row stays, for the case that the process had only lost its connection.
 * @param recorded what of it took effect
 * @returns false when another process has settled it
 */
export async function settleIntent(tx: Tx, id: number, recorded: readonly RecordedChange[]): Promise<boolean> {
  const settled = tx.updateTable('ref_intents').set({ settled: true, updates: JSON.stringify(recorded) })
  const { numUpdatedRows } = await settled.where('id', '=', id).where('settled', '=', false).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** What is left of an open intent, locked until the transaction ends; null when it is settled. */
export async function lockOpenIntent(tx: Tx, id: number): Promise<readonly RecordedChange[] | null> {
  const query = tx.selectFrom('ref_intents').select('updates').where('id', '=', id).where('settled', '=', false)
  return (await locked(tx, query).executeTakeFirst())?.updates ?? null
}

/** Whether two changes move a ref from the same commit to the same one. */
export const isSameChange = (one: RecordedChange, other: RecordedChange): boolean =>
  one.ref === other.ref && one.old === other.old && one.new === other.new

/**
 * Finds the other open intents of a repository that have one of these changes. When there are any, these and the intent itself are
 * locked, in the order of their ids: transactions that record the same change wait for each other, and none for one that waits for it.
 */
export async function lockRivals(
  tx: Tx,
  repositoryId: number,
  intentId: number,
  changes: readonly RecordedChange[],
): Promise<number[]> {
  const rows = await open(tx)
    .select(['id', 'updates'])
    .where('repository_id', '=', repositoryId)
    .orderBy('id')
    .execute()
  const isShared = (update: RecordedChange) => changes.some((change) => isSameChange(update, change))
  const rivals = rows.flatMap(({ id, updates }) => (id !== intentId && updates.some(isShared) ? [id] : []))
  if (rivals.length > 0) for (const id of [...rivals, intentId].toSorted((a, b) => a - b)) await lockOpenIntent(tx, id)
  return rivals
}

/** Takes changes that one intent records out of the others with the same changes: git makes each change once. */
export async function withdrawChanges(
  tx: Tx,
  rivals: readonly number[],
  recorded: readonly RecordedChange[],
): Promise<void> {
  const isLeft = (change: RecordedChange) => !recorded.some((one) => isSameChange(one, change))
  for (const id of rivals) {
    const left = (await lockOpenIntent(tx, id))?.filter(isLeft)
    if (left)
      await tx
        .updateTable('ref_intents')
        .set({ updates: JSON.stringify(left) })
        .where('id', '=', id)
        .execute()
  }
}

/** Deletes what is left of settled intents from before a time. */
export async function deleteSettled(tx: Tx, before: string): Promise<void> {
  await tx.deleteFrom('ref_intents').where('settled', '=', true).where('created_at', '<', before).execute()
}

/** Whether an intent is not settled yet. */
export async function intentExists(db: Reader, id: number): Promise<boolean> {
  return (await db.selectFrom('ref_intents').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

const open = (db: Reader) => db.selectFrom('ref_intents').where('settled', '=', false)

export async function openIntents(db: Reader, before: string): Promise<RefIntentRow[]> {
  return open(db).selectAll().where('created_at', '<', before).orderBy('id').execute()
}

/** Lists the open intents of other processes. @param process the name of this one */
export async function intentsOfOthers(db: Reader, process: string): Promise<RefIntentRow[]> {
  const others = sql<boolean>`process is distinct from ${process}`
  return open(db).selectAll().where(others).orderBy('id').execute()
}

/** Lists the open intents of other processes in the repository at a place. @param process the name of this one */
export async function intentsAt(
  db: Reader,
  { storage, disk_path, process }: { storage: string; disk_path: string; process: string },
): Promise<Pick<RefIntentRow, 'id' | 'process'>[]> {
  const repository = db.selectFrom('repositories').select('id').where('storage', '=', storage)
  return open(db)
    .select(['id', 'process'])
    .where('repository_id', 'in', repository.where('disk_path', '=', disk_path))
    .where(sql<boolean>`process is distinct from ${process}`)
    .execute()
}

/** As a condition: whether other processes have open intents, or something else is true. */
export function othersHaveIntents(process: string, or: RawBuilder<boolean>): RawBuilder<boolean> {
  return sql<boolean>`(
    exists (select 1 from ref_intents where not settled and process is distinct from ${process}) or ${or})`
}

/** Whether changes of refs that began after a time are not recorded yet. */
export async function hasIntentsSince(db: Reader, since: string): Promise<boolean> {
  return (await open(db).select('id').where('created_at', '>', since).limit(1).executeTakeFirst()) !== undefined
}

/** Whether a process has begun a change of the repository's refs that is not settled. */
export async function hasIntentOf(db: Reader, repositoryId: number, process: string): Promise<boolean> {
  const query = open(db).select('id').where('repository_id', '=', repositoryId).where('process', '=', process)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** Lists the changes of a repository's refs that are under way, or were interrupted and are not settled. */
export async function openIntentsOf(db: Reader, repositoryId: number): Promise<RefIntentRow[]> {
  return open(db).selectAll().where('repository_id', '=', repositoryId).execute()
}

/** Whether a change of the repository's refs is under way, or was interrupted and is not settled. */
export async function hasOpenIntents(db: Reader, repositoryId: number): Promise<boolean> {
  const query = open(db).select('id').where('repository_id', '=', repositoryId).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}
