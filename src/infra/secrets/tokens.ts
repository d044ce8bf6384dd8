import { createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto'

const TOKEN_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'

/**
 * What is stored of a token: its SHA-256 as 64 lower-case hex digits (contract 00 "token text", 20 R4).
 * A token carries 120 bits of randomness, so a plain hash is enough; passwords need `hashPassword`.
 */
export function hashToken(text: string): string {
  return hash('sha256', text)
}

/**
 * A new token: `prefix` followed by `length` random characters of `[A-Za-z0-9_-]` (contract 00 "token text").
 * @param prefix put before the random part, e.g. `glpat-`
 * @param length number of random characters, 6 bits each
 */
export function randomToken(prefix: string, length = 20): string {
  let text = prefix
  // 64 characters divide 256 evenly, so the low six bits of a random byte choose without bias.
  for (const byte of randomBytes(length)) text += TOKEN_ALPHABET[byte & 63]
  return text
}

/** Random bytes as lower-case hex, `2 × byteCount` digits (OAuth tokens: contract 00). */
export function randomHex(byteCount: number): string {
  return randomBytes(byteCount).toString('hex')
}

/**
 * Compares two secrets in a time that depends on neither (design §11).
 * Hashing first gives both sides one length, so not even the length of the secret shows.
 */
export function safeEqual(a: string | Buffer, b: string | Buffer): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
}
