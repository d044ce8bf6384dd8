/** Content of any size, sealed in segments of which each is authenticated: AES-256-GCM under a key of the content alone. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { KEY_BYTES } from './keys.ts'

const SEGMENT_BYTES = 64 * 1024
const SALT_BYTES = 32
const TAG_BYTES = 16
const NONCE_BYTES = 12

/** A sealed content was changed, cut, or sealed for another context. */
export class SegmentDamaged extends Error {}

type Segment = { bytes: Buffer; isLast: boolean }

/** Cuts content into segments of one size; the last one may be shorter, and there is always one. */
async function* segmentsOf(content: AsyncIterable<Uint8Array>, sizeBytes: number): AsyncGenerator<Segment> {
  let held: Uint8Array[] = []
  let heldBytes = 0
  for await (const chunk of content) {
    held.push(chunk)
    heldBytes += chunk.length
    if (heldBytes <= sizeBytes) continue
    const all = Buffer.concat(held)
    let at = 0
    for (; all.length - at > sizeBytes; at += sizeBytes) {
      yield { bytes: all.subarray(at, at + sizeBytes), isLast: false }
    }
    held = [all.subarray(at)]
    heldBytes = all.length - at
  }
  yield { bytes: Buffer.concat(held), isLast: true }
}

const keyOf = (secret: Buffer, salt: Buffer, context: string) =>
  Buffer.from(hkdfSync('sha256', secret, salt, context, KEY_BYTES))

/** The nonce of a segment: its number, and whether it is the last one, so that none can be moved or left out. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUIntBE(index, NONCE_BYTES - 7, 6)
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0
  return nonce
}

/**
 * Encrypts content while it streams.
 * @param secret the sealing key
 * @param context what the content belongs to; it opens only as that
 */
export async function* sealSegments(
  secret: Buffer,
  content: AsyncIterable<Uint8Array>,
  context: string,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES)
  yield salt
  const key = keyOf(secret, salt, context)
  let index = 0
  for await (const { bytes, isLast } of segmentsOf(content, SEGMENT_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(index++, isLast), { authTagLength: TAG_BYTES })
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }
}

function openSegment(key: Buffer, nonce: Buffer, sealed: Buffer): Buffer {
  if (sealed.length < TAG_BYTES) throw new SegmentDamaged()
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES))
  try {
    const bytes = decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES))
    return Buffer.concat([bytes, decipher.final()])
  } catch {
    throw new SegmentDamaged()
  }
}

/**
 * Reads the first bytes of content.
 * @returns them, and the rest; fewer than asked for where the content ends before
 */
export async function beginningOf(
  content: AsyncIterable<Uint8Array>,
  sizeBytes: number,
): Promise<{ beginning: Buffer; rest: AsyncGenerator<Uint8Array> }> {
  const source = content[Symbol.asyncIterator]()
  let read = Buffer.alloc(0)
  while (read.length < sizeBytes) {
    const { value, done } = await source.next()
    if (done) break
    read = Buffer.concat([read, value])
  }
  async function* rest() {
    try {
      yield read.subarray(sizeBytes)
      for (let next = await source.next(); !next.done; next = await source.next()) yield next.value
    } finally {
      await source.return?.()
    }
  }
  return { beginning: read.subarray(0, sizeBytes), rest: rest() }
}

/**
 * Decrypts content while it streams: each segment is checked before it is passed on.
 * @throws SegmentDamaged
 */
export async function* openSegments(
  secret: Buffer,
  sealed: AsyncIterable<Uint8Array>,
  context: string,
): AsyncGenerator<Buffer> {
  const { beginning: salt, rest } = await beginningOf(sealed, SALT_BYTES)
  if (salt.length < SALT_BYTES) throw new SegmentDamaged()
  const key = keyOf(secret, salt, context)
  let index = 0
  for await (const { bytes, isLast } of segmentsOf(rest, SEGMENT_BYTES + TAG_BYTES)) {
    yield openSegment(key, nonceOf(index++, isLast), bytes)
  }
}
