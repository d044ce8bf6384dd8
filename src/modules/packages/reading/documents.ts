import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Raw } from '../../../api/index.ts'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import type { PackageType } from '../core/words.ts'
import { streamOfPieces } from './portions.ts'
import { generationsOf } from './store.ts'

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

/** Passes the pieces of a document on, which is kept when it is not too large. */
async function* kept(pieces: AsyncIterable<string>, keep: (whole: Buffer) => void): AsyncGenerator<string> {
  let held: string[] = []
  let sizeBytes = 0
  for await (const piece of pieces) {
    sizeBytes += Buffer.byteLength(piece)
    if (sizeBytes <= largestBytes) held.push(piece)
    else held = []
    yield piece
  }
  if (sizeBytes <= largestBytes) keep(Buffer.from(held.join('')))
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
    body: cached ?? (async () => streamOfPieces(kept(write(), (whole) => cache.set(key, whole)))),
  }
}
