import { Readable } from 'node:stream'
import { handled } from '../../streams/index.ts'
import type { ByteRange, ObjectHead, OpenedObject } from '../object-store.ts'
import { rangeNotSatisfiable, requirePositions } from '../range.ts'
import { at, type Bucket } from './bucket.ts'
import { ignoreAbsent, isFailure, unavailable } from './errors.ts'

/** How often a broken download is continued before another byte arrives. */
const MAX_FAILURES = 3

/** Reads the metadata of an object; null when it does not exist. */
export async function headOf(bucket: Bucket, key: string): Promise<ObjectHead | null> {
  const found = await bucket.client.headObject(at(bucket, key)).catch(ignoreAbsent)
  return found && { sizeBytes: found.ContentLength ?? 0, modifiedAt: found.LastModified ?? new Date(0) }
}

/**
 * Opens an object. A connection that breaks is replaced by another one, from the next byte.
 * @returns null when it does not exist
 * @throws ObjectError `range_not_satisfiable`
 */
export async function openObject(bucket: Bucket, key: string, range?: ByteRange): Promise<OpenedObject | null> {
  if (range) requirePositions(range)
  const { firstByte = 0, lastByte } = range ?? {}
  // A service ignores such a range.
  if (lastByte !== undefined && lastByte < firstByte) return refuseRange(bucket, key)
  const opened = await request(bucket, key, range && `bytes=${firstByte}-${lastByte ?? ''}`).catch((error) => {
    if (isFailure(error, 'InvalidRange')) return refuseRange(bucket, key)
    return ignoreAbsent(error)
  })
  if (!opened) return null
  const { body, lengthBytes, sizeBytes, etag } = opened
  const end = firstByte + lengthBytes - 1
  const reopen = async (position: number) => (await request(bucket, key, `bytes=${position}-${end}`, etag)).body
  return { stream: continued(body, firstByte, end, reopen), sizeBytes, lengthBytes }
}

async function refuseRange(bucket: Bucket, key: string): Promise<null> {
  const found = await headOf(bucket, key)
  if (found) throw rangeNotSatisfiable(found.sizeBytes)
  return null
}

async function request(bucket: Bucket, key: string, Range?: string, IfMatch?: string) {
  const conditions = { ...(Range === undefined ? {} : { Range }), ...(IfMatch === undefined ? {} : { IfMatch }) }
  const found = await bucket.client.getObject({ ...at(bucket, key), ...conditions })
  const lengthBytes = found.ContentLength ?? 0
  const total = /\/(\d+)$/.exec(found.ContentRange ?? '')?.[1]
  const sizeBytes = total === undefined ? lengthBytes : Number(total)
  return { body: found.Body as Readable, lengthBytes, sizeBytes, etag: found.ETag }
}

/** A stream over a body and its replacements. Destroying it closes the connection, also before the first byte is read. */
function continued(
  first: Readable,
  firstByte: number,
  lastByte: number,
  reopen: (position: number) => Promise<Readable>,
): Readable {
  let body = first
  let position = firstByte
  let failures = 0

  function use(opened: Readable): void {
    body = opened
    // The iterator reports errors while it reads. Afterwards they mean nothing.
    body.on('error', () => {})
    if (stream.destroyed) body.destroy()
  }

  async function replaceAfter(error: unknown): Promise<void> {
    failures++
    if (failures > MAX_FAILURES || stream.destroyed) throw unavailable(error as Error)
    use(await reopen(position))
  }

  async function* chunks(): AsyncGenerator<Uint8Array> {
    while (position <= lastByte) {
      const pieces = body.iterator() as AsyncIterator<Uint8Array>
      for (;;) {
        const next = await pieces.next().catch((error) => ({ error, done: true as const, value: undefined }))
        if (next.done) {
          if (position <= lastByte) await replaceAfter('error' in next ? next.error : new Error('too few bytes'))
          break
        }
        position += next.value.length
        failures = 0
        yield next.value
      }
    }
  }

  const stream = handled(Readable.from(chunks(), { objectMode: false, highWaterMark: 256 * 1024 }))
  use(first)
  stream.once('close', () => body.destroy())
  return stream
}
