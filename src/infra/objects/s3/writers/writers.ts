import type { Clock } from '../../../clock/index.ts'
import { randomHex } from '../../../secrets/index.ts'
import {
  createDigester,
  createRunningDigests,
  type Digester,
  type Digests,
  isMismatch,
  sizeMismatch,
  verify,
} from '../../digester.ts'
import { ObjectError } from '../../object-error.ts'
import type { Expected, ObjectStore } from '../../object-store.ts'
import { busyWriter, isWriterId, offsetMismatch, unknownWriter } from '../../writer-errors.ts'
import { type Bucket, deleteKeys, putBytes } from '../bucket.ts'
import { type Claim, claimWriter, removeLost } from './claims.ts'
import { bytesOf, publishPieces } from './publishing.ts'
import { begunKey, readState, type WriterState } from './state.ts'
import { storePieces } from './storing.ts'

type Writers = Pick<ObjectStore, 'begin' | 'append' | 'progress' | 'commit' | 'cancel'>

/**
 * Handles uploads in several requests. All state is in the bucket (`state.ts`), so that any node can continue.
 * Received bytes are stored in pieces of `partBytes`; a process that dies loses the bytes after the last one. SHA-256 is computed
 * while they are received; a process that has not seen all bytes reads them again at the commit.
 * @param staleMs after this time without a sign of life, a request that uses a writer is considered dead
 */
export function createWriters(bucket: Bucket, clock: Clock, staleMs: number): Writers {
  const digests = createRunningDigests()
  /** Writers that requests of this process use. */
  const held = new Set<string>()
  /** The sizes of writers that are being appended to, with bytes that are not stored yet. */
  const received = new Map<string, number>()

  async function holding<T>(id: string, work: (claim: Claim) => Promise<T>): Promise<T> {
    if (!isWriterId(id)) throw unknownWriter()
    if (held.has(id)) throw busyWriter()
    held.add(id)
    try {
      const claim = await claimWriter(bucket, id, clock, staleMs)
      try {
        return await work(claim).finally(claim.stop)
      } catch (error) {
        await settleFailure(bucket, id, claim, error)
        throw error
      }
    } finally {
      held.delete(id)
    }
  }

  return {
    async begin() {
      const id = randomHex(16)
      await putBytes(bucket, begunKey(id), new Uint8Array())
      return { id }
    },

    append: (id, offsetBytes, content) =>
      holding(id, async (claim) => {
        const start = claim.state.sizeBytes
        if (start !== offsetBytes) throw offsetMismatch(start)
        const digester = digests.of(id, start)
        let isComplete = false
        const see = (chunk: Uint8Array) => {
          digester?.update(chunk)
          received.set(id, (received.get(id) ?? start) + chunk.length)
        }
        try {
          const stored = await storePieces(bucket, id, claim, content, see)
          await claim.confirm()
          isComplete = true
          if (stored.failure) throw stored.failure.error
          await claim.stop()
          // The bytes are stored. A claim that remains is ignored after a minute.
          await claim.release().catch(() => {})
          return { sizeBytes: stored.sizeBytes }
        } finally {
          received.delete(id)
          // It has seen bytes that are not stored.
          if (!isComplete) digests.drop(id)
        }
      }),

    async progress(id) {
      if (!isWriterId(id)) return null
      const { exists, sizeBytes } = await readState(bucket, id)
      return exists ? { sizeBytes: Math.max(sizeBytes, received.get(id) ?? 0) } : null
    },

    commit: (id, key, expected = {}) =>
      holding(id, async (claim) => {
        const { state } = claim
        if (expected.sizeBytes !== undefined && state.sizeBytes !== expected.sizeBytes)
          throw sizeMismatch(expected.sizeBytes)
        const found = await digestsOf(bucket, state, digests.of(id, state.sizeBytes), expected)
        verify(found, expected)
        await claim.confirm()
        await publishPieces(bucket, state.pieces, key)
        digests.drop(id)
        await claim.stop()
        // The object is stored. What remains of the writer is abandoned.
        await removeKeys(bucket, id, state.keys).catch(() => {})
        return { sizeBytes: found.sizeBytes, sha256: found.sha256 }
      }),

    async cancel(id) {
      if (!isWriterId(id)) return
      digests.drop(id)
      await removeKeys(bucket, id, (await readState(bucket, id)).keys)
    },
  }
}

/** Releases a writer after a failure, or ends it when its content is not what was expected. */
async function settleFailure(bucket: Bucket, id: string, claim: Claim, error: unknown): Promise<void> {
  const isLost = error instanceof ObjectError && error.code === 'writer_unknown'
  try {
    if (isMismatch(error)) {
      await claim.confirm()
      await removeKeys(bucket, id, claim.state.keys)
    } else if (isLost) await removeLost(bucket, id, claim)
    else await claim.release()
  } catch {
    // The service fails: what remains becomes stale.
  }
}

/** Deletes what is stored of a writer, its mark first: from then on it does not exist. */
async function removeKeys(bucket: Bucket, id: string, keys: readonly string[]): Promise<void> {
  await deleteKeys(bucket, [begunKey(id)])
  await deleteKeys(
    bucket,
    keys.filter((key) => key !== begunKey(id)),
  )
}

async function digestsOf(
  bucket: Bucket,
  { pieces }: WriterState,
  known: Digester | undefined,
  expected: Expected,
): Promise<Digests> {
  if (known && expected.sha512 === undefined) return known.digests()
  const digester = createDigester({ withSha512: expected.sha512 !== undefined })
  for await (const chunk of bytesOf(bucket, pieces)) digester.update(chunk)
  return digester.digests()
}
