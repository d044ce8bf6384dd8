import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate as othersRan } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Raw } from '../../../api/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import { generationsOf } from '../core/store.ts'
import type { PackageType } from '../core/words.ts'

/** All documents that are held, and the largest of them, in bytes. */
const heldBytes = 32 * 1024 * 1024
const largestBytes = 4 * 1024 * 1024

const documents = perPlatform(
  () => new LRUCache<string, Buffer>({ maxSize: heldBytes, sizeCalculation: (bytes) => Math.max(1, bytes.length) }),
)

/** A document that lists what a name has. */
export type NameDocument = {
  type: PackageType
  nameKey: string
  projectIds: readonly number[]
  /** What the document depends on besides the packages of the name in these projects. */
  form: string
  mediaType: string
  headers?: Readonly<Record<string, string>>
  /** Writes the document, piece by piece; other requests run in between. */
  write(): AsyncIterable<string>
}

/** The pieces of a document; it is kept when it is not too large. */
async function* written(pieces: AsyncIterable<string>, keep: (whole: Buffer) => void): AsyncGenerator<Buffer> {
  const held: Buffer[] = []
  let sizeBytes = 0
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece)
    sizeBytes += bytes.length
    if (sizeBytes <= largestBytes) held.push(bytes)
    yield bytes
    await othersRan()
  }
  if (sizeBytes <= largestBytes) keep(Buffer.concat(held))
}

/**
 * A document about a name as the body of an answer. It is written once for each state of the name: its generation in each project
 * is part of its tag (contract 23 R10).
 */
export async function serveNameDocument(platform: Platform, document: NameDocument): Promise<Raw> {
  const { type, nameKey, projectIds, form, mediaType, headers, write } = document
  const generations = await generationsOf(platform.database.read, projectIds, { type, nameKey })
  const key = JSON.stringify([type, nameKey, form, platform.externalUrl, generations])
  const cache = documents(platform)
  const cached = cache.get(key)
  const tag = createHash('sha256').update(key).digest('hex')
  return {
    headers: {
      ...headers,
      'Content-Type': mediaType,
      ETag: `W/"${tag}"`,
      ...(cached && { 'Content-Length': String(cached.length) }),
    },
    body: cached ?? (async () => handled(Readable.from(written(write(), (whole) => cache.set(key, whole))))),
  }
}
