import { Readable } from 'node:stream'
import type { RequestedRange } from '../../../api/index.ts'
import { acquireLock, now } from '../../../infra/database/index.ts'
import { parseStorageKey } from '../../../infra/objects/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { newFileKey } from '../files/keys.ts'
import type { CiJobRow } from '../tables.ts'
import { maskBytes } from './masking.ts'
import * as store from './store.ts'

/** A longer log is refused (contract 04, x.runner_job_trace). */
const largestTraceBytes = 100 * 1024 * 1024

type JobPlace = Pick<CiJobRow, 'id' | 'project_id'>

export const lockTrace = (jobId: number) => `ci_trace:${jobId}`

/** What became of an appended part; `sizeBytes` is what is stored. */
export type Appended = { outcome: 'appended' | 'gap' | 'too_large'; sizeBytes: number }

/** Number of bytes of a job's log. */
export async function traceSize({ database }: Platform, jobId: number): Promise<number> {
  return (await store.traceOf(database.read, jobId))?.size_bytes ?? 0
}

/**
 * Appends to the log of a job (contract 04, x.runner_job_trace). Concurrent parts with the same start exclude each other.
 * @param firstByte position of the part; it must be the number of bytes stored so far, otherwise the outcome is `gap`
 * @param masked values of masked variables, which are overwritten where the part contains them
 */
export async function appendTrace(
  platform: Platform,
  job: JobPlace,
  firstByte: number,
  bytes: Buffer,
  masked: readonly string[] = [],
): Promise<Appended> {
  const { database, objects } = platform
  const sizeBytes = await traceSize(platform, job.id)
  if (sizeBytes !== firstByte) return { outcome: 'gap', sizeBytes }
  if (firstByte + bytes.length > largestTraceBytes) return { outcome: 'too_large', sizeBytes }
  if (bytes.length === 0) return { outcome: 'appended', sizeBytes }
  const key = newFileKey(job, 'trace')
  await objects.put(key, handled(Readable.from([maskBytes(bytes, masked)])))
  const outcome = await database.write(async (tx): Promise<Appended> => {
    await acquireLock(tx, lockTrace(job.id))
    const stored = (await store.traceOf(tx, job.id))?.size_bytes ?? 0
    if (stored !== firstByte) return { outcome: 'gap', sizeBytes: stored }
    const chunk = { job_id: job.id, first_byte: firstByte, size_bytes: bytes.length, storage_key: key }
    await store.insertChunk(tx, chunk)
    return { outcome: 'appended', sizeBytes: firstByte + bytes.length }
  })
  if (outcome.outcome !== 'appended') await objects.delete(key)
  return outcome
}

/**
 * The bytes of a log in this range. Its parts are deleted when they are joined, also while it is read: one that is gone is looked
 * for again. Of a log that is erased meanwhile, the rest is left out.
 * @param parts the log as it was when it was found
 * @throws Error when an object is missing
 */
async function* bytesOfLog(
  { database, objects }: Platform,
  jobId: number,
  parts: readonly store.TracePart[],
  { firstByte, lastByte }: RequestedRange,
): AsyncGenerator<Buffer> {
  let known = parts
  let missing: string | undefined
  for (let position = firstByte; position <= lastByte; ) {
    const part = known.find((one) => one.firstByte <= position && position < one.firstByte + one.sizeBytes)
    if (!part) return
    if (part.storageKey === missing) throw new Error(`a part of the log of job ${jobId} is missing: ${missing}`)
    const last = Math.min(part.sizeBytes - 1, lastByte - part.firstByte)
    const range = { firstByte: position - part.firstByte, lastByte: last }
    const opened = await objects.get(parseStorageKey(part.storageKey), { range })
    if (opened) {
      yield* opened.stream as AsyncIterable<Buffer>
      position = part.firstByte + last + 1
    } else {
      missing = part.storageKey
      known = await store.partsOf(database.read, jobId)
    }
  }
}

/** The bytes of a log, or some of them. @param parts the log as it was when it was found */
export function streamOfLog(
  platform: Platform,
  jobId: number,
  parts: readonly store.TracePart[],
  range: RequestedRange = { firstByte: 0, lastByte: sizeOf(parts) - 1 },
): Readable {
  return handled(Readable.from(bytesOfLog(platform, jobId, parts, range), { objectMode: false }))
}

const sizeOf = (parts: readonly store.TracePart[]) => parts.reduce((sum, part) => sum + part.sizeBytes, 0)

const halfMinuteMs = 30_000

/** The log of a job, of which a stream is opened. */
export type OpenedTrace = { sizeBytes: number; open(range: RequestedRange | null): Readable }

/**
 * Finds the log of a job, and notes that it is read: its runner then sends updates more often.
 * @returns an empty log for a job without one
 */
export async function readTrace(platform: Platform, jobId: number): Promise<OpenedTrace> {
  const { database, clock } = platform
  const trace = await store.traceOf(database.read, jobId)
  const isNoted = trace?.read_at && clock.now().getTime() - Date.parse(trace.read_at) < halfMinuteMs
  if (trace && !isNoted) await database.write((tx) => store.noteRead(tx, jobId, now(clock)))
  const parts = await store.partsOf(database.read, jobId)
  return {
    sizeBytes: sizeOf(parts),
    open: (range) => streamOfLog(platform, jobId, parts, range ?? undefined),
  }
}

const minuteMs = 60_000

/** Whether the log of a job was read in the last minute. */
export async function isTraceWatched({ database, clock }: Platform, jobId: number): Promise<boolean> {
  const readAt = (await store.traceOf(database.read, jobId))?.read_at
  return readAt ? clock.now().getTime() - Date.parse(readAt) <= minuteMs : false
}
