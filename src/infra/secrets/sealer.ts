import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKey, KEY_BYTES, keyIdOf } from './keys.ts'
import { beginningOf, openSegments, SegmentDamaged, sealSegments } from './sealed-content.ts'

const VERSION = 'v1'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SEALED = /^v1\.([0-9a-f]{16})\.([A-Za-z0-9_-]+)$/

/** A sealed value could not be opened. The message contains neither the text nor the key nor the sealed bytes. */
export class SealError extends Error {
  /** `unknown_key`: sealed under another key. `damaged`: changed, or sealed for another context. */
  readonly code: 'unknown_key' | 'damaged'
  constructor(code: 'unknown_key' | 'damaged', message: string) {
    super(message)
    this.name = 'SealError'
    this.code = code
  }
}

/** Encrypts values that are stored in the database (design §4). */
export interface Sealer {
  /**
   * Encrypts a text.
   * @param plain the secret text
   * @param context row and column of the value, e.g. `variables:17:value`; a sealed value opens only in the same context
   * @returns printable ASCII, about 4/3 of the text's bytes plus 58 characters
   */
  seal(plain: string, context: string): string
  /**
   * Decrypts a sealed value.
   * @throws SealError `unknown_key` when it was sealed under a key that is not configured, `damaged` when it was changed or
   *   sealed for another context
   */
  open(sealed: string, context: string): string
  /**
   * Encrypts content of any size while it streams.
   * @param context as of `seal`
   * @returns bytes, of which each 64 KiB of the content have 16 more, and all together 52 more
   */
  sealContent(content: AsyncIterable<Uint8Array>, context: string): AsyncGenerator<Buffer>
  /**
   * Decrypts sealed content while it streams. What it has passed on is as it was sealed; it throws when more is missing or changed.
   * @throws SealError as `open`, and what the content throws
   */
  openContent(sealed: AsyncIterable<Uint8Array>, context: string): AsyncGenerator<Buffer>
}

/**
 * Creates a sealer: AES-256-GCM with a random nonce, under a key derived from the instance key.
 * @param key the instance key (32 bytes), or a secret text of high entropy
 * @throws RangeError when a binary key does not have 32 bytes
 */
export function openSealer(key: Buffer | string): Sealer {
  const current = sealingKey(key)
  return {
    seal: (plain, context) => seal(current, plain, context),
    open(sealed, context) {
      const { keyId, body } = parse(sealed)
      requireKey(current, keyId)
      return unseal(current, body, context)
    },
    sealContent: (content, context) => sealWhole(current, content, context),
    openContent: (sealed, context) => openWhole(current, sealed, context),
  }
}

interface SealingKey {
  id: string
  secret: Buffer
}

function sealingKey(key: Buffer | string): SealingKey {
  if (typeof key === 'string' ? key.length === 0 : key.length !== KEY_BYTES) {
    throw new RangeError(`a sealing key has ${KEY_BYTES} bytes`)
  }
  return { id: keyIdOf(key), secret: deriveKey(key, 'sealing') }
}

function associatedData(keyId: string, context: string): Buffer {
  return Buffer.from(`${VERSION}.${keyId}.${context}`, 'utf8')
}

/** @throws SealError `unknown_key` */
function requireKey(current: SealingKey, keyId: string): void {
  if (keyId === current.id) return
  throw new SealError(
    'unknown_key',
    `sealed under secret key ${keyId}, but the configured key is ${current.id}: ` +
      'restore FENNEC_SECRET_KEY or the secret-key file that belongs to this data',
  )
}

/** What sealed content begins with. */
const headerOf = ({ id }: SealingKey) => Buffer.from(`${VERSION}.${id}.`)
const HEADER = /^v1\.([0-9a-f]{16})\.$/

async function* sealWhole(
  key: SealingKey,
  content: AsyncIterable<Uint8Array>,
  context: string,
): AsyncGenerator<Buffer> {
  yield headerOf(key)
  yield* sealSegments(key.secret, content, associatedData(key.id, context).toString())
}

async function* openWhole(key: SealingKey, sealed: AsyncIterable<Uint8Array>, context: string): AsyncGenerator<Buffer> {
  const { beginning, rest } = await beginningOf(sealed, headerOf(key).length)
  const [, keyId] = HEADER.exec(beginning.toString('latin1')) ?? []
  if (keyId === undefined) throw new SealError('damaged', 'not sealed content')
  requireKey(key, keyId)
  try {
    yield* openSegments(key.secret, rest, associatedData(key.id, context).toString())
  } catch (error) {
    if (!(error instanceof SegmentDamaged)) throw error
    throw new SealError('damaged', 'the sealed content was changed, or belongs to another row')
  }
}

function seal(key: SealingKey, plain: string, context: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key.secret, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(associatedData(key.id, context))
  const body = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${VERSION}.${key.id}.${body.toString('base64url')}`
}

function unseal(key: SealingKey, body: Buffer, context: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key.secret, body.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(associatedData(key.id, context))
  decipher.setAuthTag(body.subarray(body.length - TAG_BYTES))
  try {
    const text = decipher.update(body.subarray(NONCE_BYTES, body.length - TAG_BYTES))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    throw new SealError('damaged', 'the sealed value was changed, or belongs to another row')
  }
}

function parse(sealed: string): { keyId: string; body: Buffer } {
  const [, keyId, text] = SEALED.exec(sealed) ?? []
  const body = Buffer.from(text ?? '', 'base64url')
  if (keyId === undefined || body.length < NONCE_BYTES + TAG_BYTES) {
    throw new SealError('damaged', 'not a sealed value')
  }
  return { keyId, body }
}
