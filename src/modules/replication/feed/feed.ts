import { now, portionsOf, type Tx } from '../../../infra/database/index.ts'
import { enqueue, type Platform } from '../../../platform/index.ts'
import { isPrimary } from '../nodes/role.ts'
import type { ReplicableType } from '../types.ts'
import { checksumJob, housekeepingJob } from './jobs.ts'
import * as store from './store.ts'
import { wakeReaders } from './waiting.ts'

const portion = 500

/**
 * Records in the log of a primary that items were created or changed, in the transaction of the change. Their checksums are
 * computed soon. Does nothing on other servers.
 */
export async function recordChanges(
  platform: Platform,
  tx: Tx,
  type: ReplicableType,
  ids: readonly number[],
  action: 'created' | 'updated' = 'updated',
): Promise<void> {
  if (ids.length === 0 || !(await isPrimary(platform, tx))) return
  const moment = now(platform.clock)
  for (const part of portionsOf(ids, portion)) {
    await store.expireChecksums(tx, type, part, moment)
    await store.appendEvents(tx, part, { type, action, now: moment })
  }
  await enqueue(platform, tx, checksumJob, null, { orderKey: checksumJob.kind })
  tx.afterCommit(() => wakeReaders(platform))
}

/** Records that items are deleted, in the transaction that deletes them. Does nothing on servers that are no primary. */
export async function recordDeletions(
  platform: Platform,
  tx: Tx,
  type: ReplicableType,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0 || !(await isPrimary(platform, tx))) return
  const moment = now(platform.clock)
  for (const part of portionsOf(ids, portion)) {
    await store.deleteChecksums(tx, type, part)
    await store.appendEvents(tx, part, { type, action: 'deleted', now: moment })
  }
  tx.afterCommit(() => wakeReaders(platform))
}

/** Records a change of a node's record, and begins the housekeeping of a new primary. */
export async function recordNodeChange(platform: Platform, tx: Tx, nodeId: number): Promise<void> {
  const moment = now(platform.clock)
  await store.appendEvents(tx, [nodeId], { type: null, action: 'node_updated', now: moment })
  await enqueue(platform, tx, housekeepingJob, null, { uniqueKey: `changed ${moment}` })
  tx.afterCommit(() => wakeReaders(platform))
}
