import { malformedBody, tooLarge } from '../../../api/index.ts'
import { JsonReader, MalformedJson } from '../../../infra/json/index.ts'
import { limited } from '../../../infra/streams/index.ts'
import type { Received } from '../files/received.ts'
import { npmInvalid } from './problems.ts'

/** The manifest of a version, as the client sends it. */
export type Manifest = Readonly<Record<string, unknown>>

/** What a publication says; what is missing or has another type is undefined. */
export type Publication = {
  name?: string | undefined
  hasVersions: boolean
  version?: string | undefined
  /** Null: larger than what is stored of one. */
  manifest?: Manifest | null
  tag?: string | undefined
  attachment?: { name: string; announcedBytes?: unknown; received?: Received }
}

/** Stores the tarball that a publication brings. */
type Receive = (attachment: string, known: Publication, content: AsyncIterable<Uint8Array>) => Promise<Received>

/** Characters of a text that is read besides the manifest. */
const longestText = 1024
/** Characters of a manifest that are read: more than are stored, since their quotes and commas do not count here. */
export const largestManifest = 20_000

/** What is not stored of a manifest: clients do not need it to install the version. */
const dropped = new Set(['readme', 'readmeFilename', 'licenseText', 'contributors', 'exports', 'deprecated'])

/**
 * Reads the body of npm as it arrives.
 * @param maximumBytes of the body; 0: none
 * @throws ApiError 400 for other bodies, 413; what `read` throws
 */
export async function readNpmBody<T>(
  content: AsyncIterable<Uint8Array>,
  maximumBytes: number,
  read: (reader: JsonReader) => Promise<T>,
): Promise<T> {
  try {
    const reader = new JsonReader(limited(content, maximumBytes, tooLarge))
    const found = await read(reader)
    await reader.end()
    return found
  } catch (error) {
    throw error instanceof MalformedJson ? malformedBody() : error
  }
}

const brokenAttachment = () => npmInvalid('Attachment is not base64')

/** The bytes of a base64 text. @throws ApiError 400 for other texts */
async function* decoded(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let rest = ''
  let hasEnded = false
  for await (const piece of pieces) {
    const text = rest + piece
    const length = text.length - (text.length % 4)
    rest = text.slice(length)
    const found = /^[A-Za-z0-9+/]*(={0,2})$/.exec(text.slice(0, length))
    if (!found || (hasEnded && text !== '')) throw brokenAttachment()
    hasEnded = found[1] !== ''
    if (length > 0) yield Buffer.from(text.slice(0, length), 'base64')
  }
  if (rest !== '') throw brokenAttachment()
}

async function readManifest(reader: JsonReader): Promise<Manifest | null | undefined> {
  const budget = { characters: largestManifest }
  const manifest: Record<string, unknown> = Object.create(null)
  const isObject = await reader.object(async (key) => {
    if (dropped.has(key)) return reader.skip()
    budget.characters -= key.length
    manifest[key] = await reader.value(budget)
  })
  if (!isObject) return undefined
  return budget.characters < 0 ? null : manifest
}

/** The first version counts. */
async function readVersions(reader: JsonReader, found: Publication): Promise<void> {
  found.hasVersions = true
  await reader.object(async (version) => {
    if (found.version !== undefined) return reader.skip()
    const manifest = await readManifest(reader)
    if (manifest !== undefined) Object.assign(found, { version, manifest })
  })
}

async function readTags(reader: JsonReader, found: Publication): Promise<void> {
  await reader.object(async (tag) => {
    found.tag ??= tag
    await reader.skip()
  })
}

async function readAttachment(reader: JsonReader, name: string, found: Publication, receive: Receive): Promise<void> {
  if (found.attachment) throw npmInvalid('Attachment is given twice')
  const attachment: NonNullable<Publication['attachment']> = { name }
  found.attachment = attachment
  await reader.object(async (key) => {
    if (key === 'length') attachment.announcedBytes = await reader.value({ characters: longestText })
    else if (key !== 'data') await reader.skip()
    else if (attachment.received) throw npmInvalid('Attachment is given twice')
    else {
      const pieces = await reader.pieces()
      if (pieces) attachment.received = await receive(name, found, decoded(pieces))
    }
  })
}

/** Tarballs only: other attachments, such as signatures, are not looked at. */
const readAttachments = (reader: JsonReader, found: Publication, receive: Receive) =>
  reader.object((name) => (name.endsWith('.tgz') ? readAttachment(reader, name, found, receive) : reader.skip()))

/** Reads what npm publishes. The tarball is stored while it arrives; the caller deletes it when the publication is refused. */
export async function readPublication(reader: JsonReader, receive: Receive): Promise<Publication> {
  const found: Publication = { hasVersions: false }
  const isObject = await reader.object(async (key) => {
    if (key === 'name') found.name = await reader.text(longestText)
    else if (key === 'versions') await readVersions(reader, found)
    else if (key === 'dist-tags') await readTags(reader, found)
    else if (key === '_attachments') await readAttachments(reader, found, receive)
    else await reader.skip()
  })
  if (!isObject) throw malformedBody()
  return found
}
