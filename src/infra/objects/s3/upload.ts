import type { CompletedPart } from '@aws-sdk/client-s3'
import { randomHex } from '../../secrets/index.ts'
import { at, type Bucket, deleteKeys, PATIENT, WRITING } from './bucket.ts'
import { isAbsent, isFailure, isNotImplemented } from './errors.ts'
import { openObject } from './reading.ts'
import { createSending } from './sending.ts'

/** A part of an upload: bytes, or (a range of) a stored object, which the service copies itself. */
export type Part =
  | { bytes: Uint8Array }
  | { source: string; sizeBytes: number; firstByte?: number | undefined; isTemporary?: boolean | undefined }

/** An upload in parts. The object appears when it is completed. Parts except the last have at least 5 MiB. */
export interface Upload {
  /** Adds a part; resolves when the next one can be added. */
  add(part: Part): Promise<void>
  complete(): Promise<void>
  /** Deletes what was sent. Does not fail: what remains is abandoned. */
  abort(): Promise<void>
}

/** Begins an upload of at most 10,000 parts. */
async function startSimple(bucket: Bucket, key: string): Promise<Upload & { sizeBytes(): number }> {
  const { client } = bucket
  const { UploadId } = await client.createMultipartUpload(at(bucket, key))
  const sending = createSending(bucket)
  const parts: CompletedPart[] = []
  let sizeBytes = 0

  return {
    sizeBytes: () => sizeBytes,
    async add(part) {
      const place: CompletedPart = { PartNumber: parts.length + 1 }
      parts.push(place)
      sizeBytes += 'bytes' in part ? part.bytes.length : part.sizeBytes
      await sending.start(async () => {
        const target = { ...at(bucket, key), UploadId, PartNumber: place.PartNumber }
        place.ETag =
          'bytes' in part ? await sendBytes(bucket, target, part.bytes) : await copyPart(bucket, target, part)
      })
    },
    async complete() {
      await sending.settled()
      const request = { ...at(bucket, key), UploadId, MultipartUpload: { Parts: parts } }
      await client.completeMultipartUpload(request, PATIENT).catch(async (error) => {
        // A repeated request finds no upload when the answer to the first one was lost.
        if (!isFailure(error, 'NoSuchUpload')) throw error
        const found = await client.headObject(at(bucket, key)).catch(() => null)
        if (found?.ContentLength !== sizeBytes || !found.ETag?.includes(`-${parts.length}`)) throw error
      })
    },
    async abort() {
      await sending.settled().catch(() => {})
      await client.abortMultipartUpload({ ...at(bucket, key), UploadId }).catch(() => {})
    },
  }
}

type Target = { Bucket: string; Key: string; UploadId: string | undefined; PartNumber: number | undefined }

async function sendBytes({ client }: Bucket, target: Target, bytes: Uint8Array): Promise<string | undefined> {
  return (await client.uploadPart({ ...target, Body: bytes, ContentLength: bytes.length })).ETag
}

async function copyPart(bucket: Bucket, target: Target, part: Exclude<Part, { bytes: Uint8Array }>) {
  const { source, sizeBytes, firstByte, isTemporary } = part
  const CopySource = `${bucket.name}/${bucket.prefix}${source}`
  const range = firstByte === undefined ? {} : { CopySourceRange: `bytes=${firstByte}-${firstByte + sizeBytes - 1}` }
  const etag = await bucket.client
    .uploadPartCopy({ ...target, CopySource, ...range }, PATIENT)
    .then(({ CopyPartResult }) => CopyPartResult?.ETag)
    .catch((error) => {
      if (!isNotImplemented(error)) throw error
      return sendCopy(bucket, target, part)
    })
  if (isTemporary) await deleteKeys(bucket, [source]).catch(() => {})
  return etag
}

/** Sends what a service cannot copy. The body is a stream, so this request is not repeated. */
async function sendCopy(bucket: Bucket, target: Target, part: Exclude<Part, { bytes: Uint8Array }>) {
  const { source, sizeBytes, firstByte = 0 } = part
  const opened = await openObject(bucket, source, { firstByte, lastByte: firstByte + sizeBytes - 1 })
  if (!opened) throw new Error(`the part ${source} of an upload is missing`)
  const request = { ...target, Body: opened.stream, ContentLength: sizeBytes }
  return (await bucket.client.uploadPart(request, PATIENT).finally(() => opened.stream.destroy())).ETag
}

/**
 * Begins an upload of up to 5 TB. The service accepts 10,000 parts, and parts that are sent are small because they are in memory.
 * So later parts become temporary objects, each of a group of parts, and are copied as one part.
 */
export async function startUpload(bucket: Bucket, key: string): Promise<Upload> {
  const { directParts, groupParts } = bucket.limits
  const outer = await startSimple(bucket, key)
  let count = 0
  let group: (Awaited<ReturnType<typeof startSimple>> & { key: string; count: number }) | undefined

  async function closeGroup(): Promise<void> {
    if (!group) return
    const { key: source } = group
    await group.complete()
    const sizeBytes = group.sizeBytes()
    group = undefined
    await outer.add({ source, sizeBytes, isTemporary: true })
  }

  return {
    async add(part) {
      if (count < directParts) {
        count++
        return outer.add(part)
      }
      if (!group) {
        const temporary = `${WRITING}${randomHex(16)}/group`
        group = { ...(await startSimple(bucket, temporary)), key: temporary, count: 0 }
      }
      await group.add(part)
      group.count++
      if (group.count === groupParts) await closeGroup()
    },
    async complete() {
      await closeGroup()
      await outer.complete()
    },
    async abort() {
      await group?.abort()
      await outer.abort()
    },
  }
}

/**
 * Copies an object on the service. 5 TB are less than 10,000 parts of `copyBytes`.
 * @returns whether the source exists
 */
export async function copyObject(bucket: Bucket, from: string, to: string, sizeBytes: number): Promise<boolean> {
  const { copyBytes } = bucket.limits
  try {
    if (sizeBytes <= copyBytes) {
      const CopySource = `${bucket.name}/${bucket.prefix}${from}`
      await bucket.client.copyObject({ ...at(bucket, to), CopySource }, PATIENT)
      return true
    }
    const upload = await startSimple(bucket, to)
    try {
      for (let firstByte = 0; firstByte < sizeBytes; firstByte += copyBytes) {
        await upload.add({ source: from, firstByte, sizeBytes: Math.min(copyBytes, sizeBytes - firstByte) })
      }
      await upload.complete()
    } catch (error) {
      await upload.abort()
      throw error
    }
    return true
  } catch (error) {
    if (isAbsent(error)) return false
    throw error
  }
}
