import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKey, KEY_BYTES, keyIdOf } from './keys.ts'

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
      if (keyId !== current.id) {
        throw new SealError(
          'unknown_key',
          `sealed under secret key ${keyId}, but the configured key is ${current.id}: ` +
            'restore FENNEC_SECRET_KEY or the secret-key file that belongs to this data',
        )
      }
      return unseal(current, body, context)
    },
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
