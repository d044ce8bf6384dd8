import type { StorageKey } from '../../storage-key.ts'
import { type Bucket, putBytes } from '../bucket.ts'
import { createCutter } from '../cutter.ts'
import { openObject } from '../reading.ts'
import { copyObject, startUpload, type Upload } from '../upload.ts'
import type { Piece } from './state.ts'

/** Yields the bytes of pieces, one after another. */
export async function* bytesOf(bucket: Bucket, pieces: readonly Piece[]): AsyncGenerator<Uint8Array> {
  for (const { key } of pieces) {
    const opened = await openObject(bucket, key)
    if (!opened) throw missing(key)
    yield* opened.stream
  }
}

/**
 * Makes an object from the pieces of a writer. The service copies complete parts; from the first smaller piece in the middle on,
 * the bytes are read and sent, since services need parts of a minimal size and some of equal size.
 */
export async function publishPieces(bucket: Bucket, pieces: readonly Piece[], key: StorageKey): Promise<void> {
  const { partBytes } = bucket.limits
  const sizeBytes = pieces.at(-1)?.end ?? 0
  const [only] = pieces
  if (only && pieces.length === 1) {
    if (!(await copyObject(bucket, only.key, key, sizeBytes))) throw missing(only.key)
    return
  }
  if (sizeBytes <= partBytes) {
    const chunks = []
    for await (const chunk of bytesOf(bucket, pieces)) chunks.push(chunk)
    return putBytes(bucket, key, Buffer.concat(chunks))
  }
  const upload = await startUpload(bucket, key)
  try {
    await addPieces(bucket, upload, pieces)
    await upload.complete()
  } catch (error) {
    await upload.abort()
    throw error
  }
}

async function addPieces(bucket: Bucket, upload: Upload, pieces: readonly Piece[]): Promise<void> {
  const { partBytes } = bucket.limits
  const irregular = pieces.findIndex(({ start, end }) => end - start !== partBytes)
  const isLast = irregular === pieces.length - 1
  const copied = irregular < 0 || isLast ? pieces : pieces.slice(0, irregular)
  for (const { key, start, end } of copied) await upload.add({ source: key, sizeBytes: end - start })
  const cutter = createCutter(partBytes)
  for await (const chunk of bytesOf(bucket, pieces.slice(copied.length))) {
    for (const bytes of cutter.push(chunk)) await upload.add({ bytes })
  }
  const bytes = cutter.rest()
  if (bytes.length > 0) await upload.add({ bytes })
}

function missing(key: string): Error {
  return new Error(`the piece ${key} of an upload is missing`)
}
