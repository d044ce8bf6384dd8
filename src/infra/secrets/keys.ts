import { createHash, hkdfSync } from 'node:crypto'

/** Length of a symmetric key in bytes (AES-256, HMAC-SHA-256). */
export const KEY_BYTES = 32

/**
 * Derives a key for one purpose from another key (HKDF-SHA-256). Keys for different purposes are independent, so one instance
 * key can seal, sign and authenticate.
 * @param key the instance key, or a secret text of high entropy
 * @param purpose a constant that names the use, e.g. `sealing`
 * @returns 32 bytes
 */
export function deriveKey(key: Buffer | string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `fennec ${purpose}`, KEY_BYTES))
}

/**
 * The id of an instance key. It is public: it is derived independently of the keys that encrypt and sign, so it reveals nothing
 * about them.
 */
export function keyIdOf(key: Buffer | string): string {
  return createHash('sha256').update(deriveKey(key, 'sealing key id')).digest('hex').slice(0, 16)
}
