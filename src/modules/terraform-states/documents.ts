import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { badRequest, failure, notFound, tooLarge } from '../../api/index.ts'
import { JsonReader, MalformedJson } from '../../infra/json/index.ts'
import { randomHex, SealError } from '../../infra/secrets/index.ts'
import { handled, limited } from '../../infra/streams/index.ts'
import type { Platform } from '../../platform/index.ts'
import { contextOf, keyOfDocument, type Place } from './keys.ts'

/** The largest document while `max_terraform_state_size_bytes` is 0. */
const standardBytes = 100 * 1024 * 1024

/** A stored document, without a row. */
export type StoredDocument = Place & { size_bytes: number; sealed_bytes: number; serial: number }

/** Stores content sealed. @returns null for no content. @throws ApiError 400, 413, 507; what the content throws */
async function storeSealed(
  platform: Platform,
  projectId: number,
  content: AsyncIterable<Uint8Array>,
  md5: string | undefined,
): Promise<Omit<StoredDocument, 'serial'> | null> {
  const { objects, secrets, settings } = platform
  const { max_terraform_state_size_bytes: limit } = await settings.current()
  const place = { project_id: projectId, secret: randomHex(16) }
  const hash = createHash('md5')
  let sizeBytes = 0
  async function* counted() {
    for await (const chunk of limited(content, limit || standardBytes, tooLarge)) {
      sizeBytes += chunk.length
      hash.update(chunk)
      yield chunk
    }
    if (md5 !== undefined && sizeBytes > 0 && hash.digest('base64') !== md5) {
      throw badRequest('Content-MD5 does not match the content')
    }
  }
  const sealed = (await secrets.sealer()).sealContent(counted(), contextOf(place))
  const { sizeBytes: sealedBytes } = await objects.put(keyOfDocument(place), sealed)
  const stored = { ...place, size_bytes: sizeBytes, sealed_bytes: sealedBytes }
  if (sizeBytes > 0) return stored
  await objects.delete(keyOfDocument(place))
  return null
}

/** The serial of a stored document. @throws ApiError 422 */
async function serialOf(platform: Platform, place: Place): Promise<number> {
  const reader = new JsonReader(await openDocument(platform, place))
  let serial: unknown
  try {
    await reader.object(async (key) => {
      if (key === 'serial') serial = await reader.value({ characters: 32 })
      else await reader.skip()
    })
    await reader.end()
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    throw failure(422, 'invalid JSON')
  }
  if (!Number.isSafeInteger(serial) || (serial as number) < 0) throw failure(422, 'No serial in payload')
  return serial as number
}

/**
 * Stores a document sealed while it streams, then reads its serial from what is stored. Nothing remains of a document that is refused.
 * @param md5 of the content in base64, where the sender says it
 * @returns null for a document without bytes, of which nothing is stored
 * @throws ApiError 400, 413, 422, 507; what the content throws
 */
export async function storeDocument(
  platform: Platform,
  projectId: number,
  content: AsyncIterable<Uint8Array>,
  md5: string | undefined,
): Promise<StoredDocument | null> {
  const stored = await storeSealed(platform, projectId, content, md5)
  if (!stored) return null
  try {
    return { ...stored, serial: await serialOf(platform, stored) }
  } catch (error) {
    await platform.objects.delete(keyOfDocument(stored))
    throw error
  }
}

/** Opens a document; its bytes are decrypted while they are read. @throws ApiError 404, 422 before the first byte */
export async function openDocument({ objects, secrets, log }: Platform, place: Place): Promise<Readable> {
  const opened = await objects.get(keyOfDocument(place))
  if (!opened) throw notFound()
  const pieces = (await secrets.sealer()).openContent(opened.stream, contextOf(place))
  try {
    const first = await pieces.next()
    return handled(
      Readable.from(
        (async function* () {
          if (!first.done) yield first.value
          yield* pieces
        })(),
      ),
    )
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    log.error({ terraformState: place.secret, err: error }, 'a Terraform state cannot be opened')
    throw failure(422, '422 Unprocessable Entity - The state was encrypted with another key')
  }
}
