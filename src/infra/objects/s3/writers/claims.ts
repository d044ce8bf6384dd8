import type { Clock, Timer } from '../../../clock/index.ts'
import { randomHex } from '../../../secrets/index.ts'
import { busyWriter, unknownWriter } from '../../writer-errors.ts'
import { type Bucket, deleteKeys, putBytes } from '../bucket.ts'
import { claimKey, fenceKey, readState, type WriterState } from './state.ts'

/** A holder without a sign of life for this time is considered dead. */
export const STALE_MS = 60_000
const BEAT_MS = 15_000
/** A holder that could not report for this time does not trust its claim any more. */
const TRUSTED_MS = 45_000

const NOTHING = new Uint8Array()

/** The exclusive use of a writer by one request. */
export interface Claim {
  token: string
  /** The state when the writer was claimed. */
  state: WriterState
  /** @throws ObjectError `writer_unknown` when the writer was cancelled or taken over meanwhile */
  confirm(): Promise<void>
  /** Pieces of this request from a position on do not count, also when they arrive later. */
  fence(sizeBytes: number): Promise<void>
  /** Ends the use, except after a failed `fence`: then the claim becomes stale, and the next request fences. */
  release(): Promise<void>
  /** Ends the signs of life. To be called in any case. */
  stop(): Promise<void>
}

/**
 * Claims a writer. Every request writes a claim of its own and lists all of them afterwards; when it sees another live one, it
 * withdraws. As lists are consistent, of two requests at least one sees the other, so never more than one continues. This needs
 * nothing but PUT, LIST and DELETE; conditional writes are not offered by all services, and a claim that only they protect would
 * outlive a dead process.
 *
 * A dead request's claim is ignored after a minute by the service's own times. Its pieces after the present size, which may
 * still arrive, are fenced off.
 * @throws ObjectError `writer_unknown`, `writer_busy`
 */
export async function claimWriter(bucket: Bucket, id: string, clock: Clock, staleMs: number): Promise<Claim> {
  const token = randomHex(8)
  const key = claimKey(id, token)
  let aliveMs = clock.now().getTime()
  await putBytes(bucket, key, NOTHING)
  const state = await readState(bucket, id).catch(async (error) => {
    await deleteKeys(bucket, [key]).catch(() => {})
    throw error
  })
  const refusal = refusalOf(state, token, staleMs)
  if (refusal) {
    await deleteKeys(bucket, [key])
    throw refusal
  }
  await fenceOff(bucket, id, state, token)

  let isFenced = true
  let timer: Timer | undefined
  let beating: Promise<void> = Promise.resolve()
  const beat = async () => {
    const sentMs = clock.now().getTime()
    await putBytes(bucket, key, NOTHING).then(
      () => {
        aliveMs = sentMs
      },
      () => {},
    )
  }
  const schedule = () => {
    timer = clock.setTimer(() => {
      beating = beat().finally(schedule)
    }, BEAT_MS)
  }
  schedule()

  return {
    token,
    state,
    async confirm() {
      const { exists, fenced } = await readState(bucket, id)
      const isTrusted = clock.now().getTime() - aliveMs < TRUSTED_MS
      if (!exists || fenced.has(token) || !isTrusted) throw unknownWriter()
    },
    async fence(sizeBytes) {
      isFenced = false
      await putBytes(bucket, fenceKey(id, token, sizeBytes), NOTHING)
      isFenced = true
    },
    async release() {
      if (isFenced) await deleteKeys(bucket, [key])
    },
    async stop() {
      // The end of a beat under way schedules the next one.
      await beating
      timer?.cancel()
    },
  }
}

function refusalOf({ exists, claims }: WriterState, token: string, staleMs: number): Error | null {
  if (!exists) return unknownWriter()
  const mine = claims.get(token)
  // Another request has removed the claim as stale: it took long to write.
  if (!mine) return busyWriter()
  const isLive = (one: Date) => mine.getTime() - one.getTime() < staleMs
  return [...claims].some(([other, at]) => other !== token && isLive(at)) ? busyWriter() : null
}

/** Shuts out the holders of the other claims, all of which are stale, and deletes pieces that do not count. */
async function fenceOff(bucket: Bucket, id: string, { claims, sizeBytes, strays }: WriterState, token: string) {
  const stale = [...claims.keys()].filter((other) => other !== token)
  await Promise.all(stale.map((other) => putBytes(bucket, fenceKey(id, other, sizeBytes), NOTHING)))
  await deleteKeys(bucket, [...stale.map((other) => claimKey(id, other)), ...strays.map(({ key }) => key)])
}

/** Deletes what a request wrote that lost the writer. */
export async function removeLost(bucket: Bucket, id: string, { token }: Claim): Promise<void> {
  const { exists, keys, strays } = await readState(bucket, id)
  const own = strays.filter((piece) => piece.token === token).map(({ key }) => key)
  await deleteKeys(bucket, exists ? [...own, claimKey(id, token)] : keys)
}
