import { createHash, hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

const TOKEN_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'

/**
 * Hashes a token for storage: SHA-256 as 64 lower-case hex digits (contract 00 "token text", 20 R4). A token has 120 random
 * bits, so a fast hash is sufficient; passwords need `hashPassword`.
 */
export function hashToken(text: string): string {
  return hash('sha256', text)
}

/**
 * Creates a token: `prefix` and `length` random characters of `[A-Za-z0-9_-]` (contract 00 "token text").
 * @param prefix fixed part before the random one, e.g. `glpat-`
 * @param length number of random characters, 6 bits each
 */
export function randomToken(prefix: string, length = 20): string {
  let text = prefix
  // 256 is a multiple of 64, so the low six bits of a random byte are unbiased.
  for (const byte of randomBytes(length)) text += TOKEN_ALPHABET[byte & 63]
  return text
}

/** Random bytes as lower-case hex, `2 × byteCount` digits (OAuth tokens: contract 00). */
export function randomHex(byteCount: number): string {
  return randomBytes(byteCount).toString('hex')
}

/** Random decimal digits, at most 14. */
export function randomDigits(count: number): string {
  return String(randomInt(10 ** count)).padStart(count, '0')
}

/**
 * Compares two secrets in constant time (design §11). Both are hashed first, so that the time does not depend on their
 * lengths either.
 */
export function safeEqual(a: string | Buffer, b: string | Buffer): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
}
