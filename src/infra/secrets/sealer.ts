import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { deriveKey, KEY_BYTES } from './keys.ts'

const VERSION = 'v1'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SEALED = /^v1\.([0-9a-f]{16})\.([A-Za-z0-9_-]+)$/

/** A sealed text could not be opened. Its message never holds the text, the key or the sealed bytes. */
export class SealError extends Error {
  readonly code: 'unknown_key' | 'damaged'
  constructor(code: 'unknown_key' | 'damaged', message: string) {
    super(message)
    this.name = 'SealError'
    this.code = code
  }
}

/** Encrypts values that rest in the database (design §4: CI variable values, integration keys). */
export interface Sealer {
  /**
   * @param plain the secret text
   * @param context identity of the row and column it belongs to, e.g. `variables:17:value`: a sealed value that is
   *   copied into another row does not open there
   * @returns printable ASCII, about 4/3 of the text's bytes plus 58 characters
   */
  seal(plain: string, context: string): string
  /**
   * @throws SealError `unknown_key` when it was sealed under a key that was not given, `damaged` when the text was
   *   changed or belongs to another context
   */
  open(sealed: string, context: string): string
  /** False when it was sealed under an older key: seal it again to finish a rotation. */
  isCurrent(sealed: string): boolean
}

/**
 * AES-256-GCM with a random nonce, under a key derived from the instance key.
 * @param key the instance key, 32 bytes, or a secret text of high entropy; seals and opens
 * @param olderKeys keys that only open, for rotation
 * @throws RangeError when a binary key has not 32 bytes
 */
export function openSealer(key: Buffer | string, olderKeys: readonly (Buffer | string)[] = []): Sealer {
  const current = sealingKey(key)
  const keys = new Map([...olderKeys.map(sealingKey), current].map((each) => [each.id, each.secret]))
  return {
    seal: (plain, context) => seal(current, plain, context),
    open(sealed, context) {
      const { keyId, body } = parse(sealed)
      const secret = keys.get(keyId)
      if (!secret) {
        throw new SealError(
          'unknown_key',
          `sealed under secret key ${keyId}, but the configured key is ${current.id}: ` +
            'restore FENNEC_SECRET_KEY or the secret-key file that belongs to this data',
        )
      }
      return unseal({ id: keyId, secret }, body, context)
    },
    isCurrent: (sealed) => parse(sealed).keyId === current.id,
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
  const secret = deriveKey(key, 'sealing')
  // The id is public; it is hashed from a sibling key, so that it says nothing about the one that encrypts.
  const id = createHash('sha256').update(deriveKey(key, 'sealing key id')).digest('hex').slice(0, 16)
  return { id, secret }
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
