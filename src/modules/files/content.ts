import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { notFound } from '../../api/index.ts'
import type { Oid, Repository } from '../../infra/git/index.ts'
import { type Remembered, remembered } from './remembered.ts'

/** What is told of a blob besides its bytes. */
export type BlobFacts = { sizeBytes: number; sha256: string; isText: boolean }

/** A blob: small ones are held, the others are read when they are sent, and never as a whole. */
export type Content = BlobFacts & {
  oid: Oid
  /** Null above `heldBytes`. */
  held: Buffer | null
  open(): Promise<Readable>
}

/** Blobs above this are streamed, in bytes. */
const heldBytes = 1024 * 1024
/** How much of a blob is looked at to tell text from other bytes, as git does it. */
const headBytes = 8_000
/** What was found out about blobs, with the content of those that are small, in bytes. */
const rememberedBytes = 16 * 1024 * 1024
const smallBytes = 64 * 1024
/** A guess for an entry without its content. */
const factsBytes = 400

/** What is remembered of a blob; the content only when it is small. */
type Known = { facts: BlobFacts; held: Buffer | null }

/** Reads blobs, and remembers what was found out about them. */
export type Contents = {
  /**
   * The blob of an id.
   * @throws ApiError 404 `resource` when there is none
   */
  read(repository: Repository, oid: Oid, options: ReadingOptions): Promise<Content>
}

export type ReadingOptions = {
  /** What there is none of, when there is none. */
  resource: 'File' | 'Blob'
  signal: AbortSignal
  /** Whose place a large blob takes while it is read (`callerOf`). */
  caller: string
  /** Asked before anything large is read; may throw. */
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

export function createContents(): Contents {
  const known: Remembered<Known> = remembered(rememberedBytes, ({ held }) => factsBytes + (held?.length ?? 0))

  return {
    async read(repository, oid, { resource, signal, caller, admit }) {
      const key = `${repository.directory}\0${oid}`
      const before = known.get(key)
      const sizeBytes = before?.facts.sizeBytes ?? (await sizeOf(repository, oid, resource))
      await admit?.(sizeBytes)
      const held =
        before?.held ??
        (sizeBytes <= heldBytes ? ((await repository.readObject(oid, { maxBytes: heldBytes }))?.content ?? null) : null)
      const open = async () => {
        const stream = held ? Readable.from([held]) : (await repository.streamBlob(oid, { signal, caller }))?.stream
        if (!stream) throw notFound(resource)
        return stream
      }
      const facts = before?.facts ?? (await factsOf(await open(), sizeBytes))
      if (!before) known.set(key, { facts, held: held && held.length <= smallBytes ? standalone(held) : null })
      return { ...facts, oid, held, open }
    },
  }
}

/** A small buffer is a part of a shared one, which it would keep in memory. */
function standalone(content: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(content.length)
  content.copy(own)
  return own
}

/** @throws ApiError 404 when there is no such blob */
async function sizeOf(repository: Repository, oid: Oid, resource: string): Promise<number> {
  const info = await repository.object(oid)
  if (info?.type !== 'blob') throw notFound(resource)
  return info.sizeBytes
}

/** Bytes as base64, in pieces that can be put together again. */
async function* base64Of(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of bytes) {
    const data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const wholeBytes = data.length - (data.length % 3)
    if (wholeBytes > 0) yield data.toString('base64', 0, wholeBytes)
    rest = data.subarray(wholeBytes)
  }
  if (rest.length > 0) yield rest.toString('base64')
}

/**
 * JSON of an object that has a blob's content as its member `content`, for blobs that are too large to be held.
 * @param before members that stand before it; they tell it apart from any other content
 * @param after members that stand behind it
 */
export function jsonAround(
  content: Content,
  before: object,
  after: object,
): { head: string; lengthBytes: number; open(): Promise<Readable> } {
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
      const json = Readable.from(pieces(stream))
      json.once('close', () => stream.destroy())
      // Also while nobody reads on, when nothing else would notice.
      stream.once('error', (error) => json.destroy(error))
      return json
    },
  }
}
