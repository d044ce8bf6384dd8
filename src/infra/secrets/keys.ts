import { hkdfSync } from 'node:crypto'

/** Length of every symmetric key here, in bytes (AES-256, HMAC-SHA-256). */
export const KEY_BYTES = 32

/**
 * A key for one purpose out of a longer-lived one (HKDF-SHA-256). Keys of different purposes reveal nothing about
 * each other, so the one instance key can seal, sign and authenticate.
 * @param key the instance key, or a secret text of high entropy
 * @param purpose fixed text that names the use, e.g. `sealing`
 * @returns 32 bytes
 */
export function deriveKey(key: Buffer | string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `fennec ${purpose}`, KEY_BYTES))
}
