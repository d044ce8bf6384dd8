import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { LRUCache } from 'lru-cache'
import { notFound } from '../../../api/index.ts'
import type { Oid, Repository } from '../../../infra/git/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import { type Platform, perPlatform } from '../../../platform/index.ts'

/** Facts about a blob besides its bytes. */
export type BlobFacts = { sizeBytes: number; sha256: string; isText: boolean }

/** A blob. Small ones are in memory, larger ones are streamed when they are sent. */
export type Content = BlobFacts & {
  oid: Oid
  /** The bytes; null above `heldBytes`. */
  held: Buffer | null
  open(): Promise<Readable>
}

/** Blobs above this are streamed, in bytes. */
const heldBytes = 1024 * 1024
/** Length of the part that decides whether a blob is text, as in git. */
const headBytes = 8_000
/** Size of the cache, in bytes, and of the largest blob whose content it holds. */
const cacheBytes = 16 * 1024 * 1024
const smallBytes = 64 * 1024
/** Estimated size of a cache entry without content. */
const factsBytes = 400

/** A cache entry. */
type Known = { facts: BlobFacts; held: Buffer | null }

export type ReadingOptions = {
  /** Named by the 404. */
  resource: 'File' | 'Blob'
  signal: AbortSignal
  /** Whose share of concurrent streams a large blob uses (`callerOf`). */
  caller: string
  /** Called with the size before the content is read; may throw. */
  admit?(sizeBytes: number): Promise<void>
}

/** Hashes a blob piece by piece. */
async function factsOf(stream: AsyncIterable<Buffer>, sizeBytes: number): Promise<BlobFacts> {
  const digest = createHash('sha256')
  let seenBytes = 0
  let isText = true
  for await (const chunk of stream) {
    if (seenBytes < headBytes) isText &&= !chunk.subarray(0, headBytes - seenBytes).includes(0)
    seenBytes += chunk.length
    digest.update(chunk)
  }
  return { sizeBytes, sha256: digest.digest('hex'), isText }
}

const cacheOf = perPlatform(
  () =>
    new LRUCache<string, Known>({
      maxSize: cacheBytes,
      sizeCalculation: ({ held }) => factsBytes + (held?.length ?? 0),
    }),
)

/**
 * Reads a blob. Its facts, and its content if small, are cached per repository: one repository's blobs are not another's.
 * @throws ApiError 404 `resource` when the blob is missing
 */
export async function readContent(
  platform: Platform,
  repository: Repository,
  oid: Oid,
  { resource, signal, caller, admit }: ReadingOptions,
): Promise<Content> {
  const cache = cacheOf(platform)
  const key = `${repository.directory}\0${oid}`
  const cached = cache.get(key)
  const sizeBytes = cached?.facts.sizeBytes ?? (await sizeOf(repository, oid, resource))
  await admit?.(sizeBytes)
  const held =
    cached?.held ??
    (sizeBytes <= heldBytes ? ((await repository.readObject(oid, { maxBytes: heldBytes }))?.content ?? null) : null)
  const open = async () => {
    const stream = held
      ? handled(Readable.from([held]))
      : (await repository.streamBlob(oid, { signal, caller }))?.stream
    if (!stream) throw notFound(resource)
    return stream
  }
  const facts = cached?.facts ?? (await factsOf(await open(), sizeBytes))
  // A copy: a small buffer is part of a shared one, which would stay in memory.
  if (!cached)
    cache.set(key, { facts, held: held && held.length <= smallBytes ? Buffer.from(new Uint8Array(held).buffer) : null })
  return { ...facts, oid, held, open }
}

/** @throws ApiError 404 when the blob is missing */
async function sizeOf(repository: Repository, oid: Oid, resource: string): Promise<number> {
  const info = await repository.object(oid)
  if (info?.type !== 'blob') throw notFound(resource)
  return info.sizeBytes
}

/** Encodes a stream as base64. */
async function* base64Of(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  // Holds bytes back until they are a multiple of three.
  const decoder = new StringDecoder('base64')
  for await (const chunk of bytes) yield decoder.write(chunk)
  yield decoder.end()
}

/**
 * Streams the JSON of an object with a blob's content as its member `content`.
 * @param before members before `content`; they identify the blob
 * @param after members after `content`
 */
export function jsonAround(content: Content, before: object, after: object) {
  const head = `${JSON.stringify(before).slice(0, -1)},"content":"`
  const tail = `"${JSON.stringify(after)
    .replace(/^\{(?=")/, ',')
    .replace(/^\{/, '')}`
  const lengthBytes = Buffer.byteLength(head) + Math.ceil(content.sizeBytes / 3) * 4 + Buffer.byteLength(tail)
  async function* pieces(stream: Readable): AsyncGenerator<string> {
    yield head
    yield* base64Of(stream)
    yield tail
  }
  return {
    head,
    lengthBytes,
    open: async () => {
      const stream = await content.open()
      const json = handled(Readable.from(pieces(stream)))
      json.once('close', () => stream.destroy())
      // Also while the reader is paused, which would leave the error unnoticed.
      stream.once('error', (error) => json.destroy(error))
      return json
    },
  }
}
