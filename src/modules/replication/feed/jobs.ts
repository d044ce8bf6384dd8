import { now, portionsOf, type Tx } from '../../../infra/database/index.ts'
import { enqueue, type Job, type Platform } from '../../../platform/index.ts'
import { ownNode } from '../nodes/own-node.ts'
import { isPrimary } from '../nodes/role.ts'
import { checksumOf } from '../replicables/checksum.ts'
import { goneItems, unknownItems } from '../replicables/store.ts'
import type { ChecksumRow, NodeRow } from '../tables.ts'
import { replicableTypes } from '../types.ts'
import * as store from './store.ts'
import { wakeReaders } from './waiting.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const portion = 100
/** Checksums read whole files: more at once would only compete for the disk. */
const mostAtOnce = 8
const longestFailure = 255
/** How long events are kept (contract 15, Event). */
const eventsMs = 7 * dayMs

const after = (platform: Platform, ms: number) => new Date(platform.clock.now().getTime() + ms).toISOString()

async function compute(platform: Platform, row: ChecksumRow, signal: AbortSignal): Promise<string | Error | null> {
  try {
    return await checksumOf(platform, row.type, row.replicable_id, signal)
  } catch (error) {
    signal.throwIfAborted()
    return error as Error
  }
}

/** Computes and stores one checksum; readers of the log hear of one that differs from what they know. */
async function renew(platform: Platform, row: ChecksumRow, own: NodeRow, signal: AbortSignal): Promise<void> {
  const found = await compute(platform, row, signal)
  const moment = now(platform.clock)
  const { type, replicable_id: id } = row
  await platform.database.write(async (tx) => {
    if (found === null) return store.deleteChecksums(tx, type, [id])
    if (found instanceof Error) {
      const failure = found.message.slice(0, longestFailure)
      await store.storeChecksum(tx, row, { state: 'failed', failure, due_at: after(platform, hourMs) })
      return
    }
    const next = after(platform, own.minimum_reverification_interval * dayMs)
    const computed = { state: 'succeeded', checksum: found, checksummed_at: moment, due_at: next } as const
    const isCurrent = await store.storeChecksum(tx, row, computed)
    const isNews = row.state !== 'succeeded' || row.checksum !== found
    if (isCurrent && isNews)
      await store.appendEvents(tx, [id], { type, action: 'checksummed', checksum: found, now: moment })
  })
  wakeReaders(platform)
}

/** Computes all checksums that are due. With a capacity of 0 none is computed. */
async function renewDue(platform: Platform, signal: AbortSignal): Promise<void> {
  const { database, clock } = platform
  for (;;) {
    const own = await ownNode(platform, database.read)
    if (!own?.is_primary || own.verification_max_capacity === 0) return
    const due = await store.dueChecksums(database.read, now(clock), portion)
    for (const part of portionsOf(due, Math.min(mostAtOnce, own.verification_max_capacity))) {
      signal.throwIfAborted()
      await Promise.all(part.map((row) => renew(platform, row, own, signal)))
    }
    if (due.length < portion) return
  }
}

/** Computes the checksums of what has changed at the primary. One job at a time. */
export const checksumJob: Job<null> = {
  kind: 'replication.checksums',
  queue: 'replication',
  async run(platform, _, { signal }) {
    await renewDue(platform, signal)
  },
}

/** Gives each item a row for its checksum, and removes the rows of those that are gone. */
async function matchRows(platform: Platform, signal: AbortSignal): Promise<void> {
  const { database, clock } = platform
  for (const type of replicableTypes) {
    for (let ids = await unknownItems(database.read, type, portion); ids.length > 0; ) {
      signal.throwIfAborted()
      await database.write((tx) => store.expireChecksums(tx, type, ids, now(clock)))
      ids = await unknownItems(database.read, type, portion)
    }
    for (let ids = await goneItems(database.read, type, portion); ids.length > 0; ) {
      signal.throwIfAborted()
      await database.write((tx) => store.deleteChecksums(tx, type, ids))
      ids = await goneItems(database.read, type, portion)
    }
  }
}

/** Stores the next housekeeping; several in one hour are one. */
async function continueLater(platform: Platform, tx: Tx): Promise<void> {
  const hour = Math.floor(platform.clock.now().getTime() / hourMs) + 1
  const options = { uniqueKey: `hour ${hour}`, runAt: new Date(hour * hourMs) }
  await enqueue(platform, tx, housekeepingJob, null, options)
}

/**
 * Hourly work of a primary: checksums of items from before the replication and of those that are due again, and the end of
 * old events. Each run stores the next one, so that a server that is no primary has no such job.
 */
export const housekeepingJob: Job<null> = {
  kind: 'replication.housekeeping',
  queue: 'replication_housekeeping',
  async run(platform, _, { signal }) {
    const { database, clock } = platform
    const own = await ownNode(platform, database.read)
    if (!own?.is_primary) return
    await database.write(async (tx) => {
      await store.deleteEventsBefore(tx, after(platform, -eventsMs))
      const oldest = after(platform, -own.minimum_reverification_interval * dayMs)
      await store.makeOldDue(tx, oldest, now(clock))
      await continueLater(platform, tx)
    })
    await matchRows(platform, signal)
    await database.write((tx) => enqueue(platform, tx, checksumJob, null, { orderKey: checksumJob.kind }))
  },
}

/** Stores the housekeeping of a primary, unless it is stored. */
export async function beginHousekeeping(platform: Platform): Promise<void> {
  if (!(await isPrimary(platform, platform.database.read))) return
  await platform.database.write((tx) => continueLater(platform, tx))
}
