import type { Tx } from '../../../infra/database/index.ts'
import { type StorageKey, storageKey } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type Digest, parseDigest } from '../blobs/digest.ts'
import { deleteUnusedContent } from '../blobs/lock.ts'
import {
  type Candidate,
  collectBlobs,
  collectLinks,
  collectManifests,
  countDue,
  type Due,
  dueBlobs,
  dueLinks,
  dueManifests,
  knownDigests,
  type Moments,
} from './store.ts'

/** What garbage collection works on; `fennec registry gc` has no more of the platform. */
export type Collectable = Pick<Platform, 'database' | 'objects' | 'clock'>

/** What was removed. `sizeBytes` is that of the blobs. */
export type Collected = { manifests: number; links: number; blobs: number; sizeBytes: number }

/** Learns how many candidates were looked at. */
type Looked = (count: number) => void

/** Rows of one batch. */
const batchSize = 200
/**
 * How long what a push used is retained at least, whatever the grace period, unless a user has deleted it since: blobs and
 * manifests arrive before what needs them.
 */
const pushMs = 10 * 60_000

/** The moments that decide, for a grace period in milliseconds. */
function momentsOf({ clock }: Pick<Collectable, 'clock'>, graceMs: number): Moments {
  const nowMs = clock.now().getTime()
  const ago = (ms: number) => new Date(nowMs - ms).toISOString()
  return { now: ago(0), before: ago(graceMs), pushedBefore: ago(Math.max(graceMs, pushMs)) }
}

type Find = (after: Candidate | undefined) => Promise<Candidate[]>

/** Batches of candidates, each after the one before. */
async function* batches(find: Find, signal: AbortSignal): AsyncGenerator<Candidate[]> {
  let batch: Candidate[] = []
  do {
    signal.throwIfAborted()
    batch = await find(batch.at(-1))
    if (batch.length > 0) yield batch
  } while (batch.length === batchSize)
}

type Collect = (tx: Tx, repositoryId: number, ids: readonly number[], moments: Moments) => Promise<number>

/** Looks at all candidates once, one transaction for each repository of a batch. @returns how many were removed */
async function pass(
  { database }: Collectable,
  { find, collect, moments, looked }: { find: Find; collect: Collect; moments: Moments; looked: Looked },
  signal: AbortSignal,
) {
  let removed = 0
  for await (const batch of batches(find, signal)) {
    const byRepository = Map.groupBy(batch, ({ repository_id: id }) => id)
    for (const [repositoryId, candidates] of byRepository) {
      const ids = candidates.map(({ id }) => id)
      removed += await database.write((tx) => collect(tx, repositoryId, ids, moments))
      looked(ids.length)
    }
  }
  return removed
}

/** Collects blobs; the content after the rows, in transactions of its own (see `blobs/lock.ts`). */
async function passBlobs(platform: Collectable, moments: Moments, looked: Looked, signal: AbortSignal) {
  const { database } = platform
  const removed = { blobs: 0, sizeBytes: 0 }
  const find: Find = (after) => dueBlobs(database.read, moments, batchSize, after)
  for await (const batch of batches(find, signal)) {
    const ids = batch.map(({ id }) => id)
    const deleted = await database.write((tx) => collectBlobs(tx, ids, moments))
    for (const { digest, size_bytes: sizeBytes } of deleted) {
      await deleteUnusedContent(platform, digest)
      removed.blobs += 1
      removed.sizeBytes += sizeBytes
    }
    looked(ids.length)
  }
  return removed
}

/**
 * Removes manifests, links and blobs to which nothing has referred for the grace period, beside pushes (contract 02 R10).
 * Each candidate is looked at again under its lock, in the transaction that removes it.
 * @param looked learns of each portion that was looked at
 */
export async function collectGarbage(
  platform: Collectable,
  graceMs: number,
  signal: AbortSignal,
  looked: Looked = () => {},
): Promise<Collected> {
  const { read } = platform.database
  const moments = momentsOf(platform, graceMs)
  let manifests = 0
  // What an index listed, and its referrers, are candidates only after it is gone.
  for (let isDone = false; !isDone; ) {
    const find: Find = (after) => dueManifests(read, moments, batchSize, after)
    const removed = await pass(platform, { find, collect: collectManifests, moments, looked }, signal)
    manifests += removed
    isDone = removed === 0
  }
  const find: Find = (after) => dueLinks(read, moments, batchSize, after)
  const links = await pass(platform, { find, collect: collectLinks, moments, looked }, signal)
  // With no grace period, the blobs that have just lost their last link are candidates too.
  return { manifests, links, ...(await passBlobs(platform, momentsOf(platform, graceMs), looked, signal)) }
}

/** Counts what the next collection would remove at least; what only that needs would follow. */
export function dueForCollection(platform: Collectable, graceMs: number): Promise<Due> {
  return countDue(platform.database.read, momentsOf(platform, graceMs))
}

const digestOfKey = (key: StorageKey) => parseDigest(key.replace(/^blobs\/(sha\d+)\/[^/]*\//, '$1:'))

async function sweepBatch(platform: Collectable, digests: readonly Digest[]): Promise<number> {
  const known = await knownDigests(platform.database.read, digests)
  let removed = 0
  for (const digest of digests) {
    if (!known.has(digest) && (await deleteUnusedContent(platform, digest))) removed += 1
  }
  return removed
}

/**
 * Removes contents without a row, which processes left that ended between the two.
 * @param looked learns of each portion that was looked at
 * @returns how many
 */
export async function sweepContents(
  platform: Collectable,
  signal: AbortSignal,
  looked: Looked = () => {},
): Promise<number> {
  let removed = 0
  let digests: Digest[] = []
  for await (const { key } of platform.objects.list(storageKey('blobs'))) {
    signal.throwIfAborted()
    const digest = digestOfKey(key)
    if (digest) digests.push(digest)
    if (digests.length < batchSize) continue
    removed += await sweepBatch(platform, digests)
    looked(digests.length)
    digests = []
  }
  removed += await sweepBatch(platform, digests)
  looked(digests.length)
  return removed
}
