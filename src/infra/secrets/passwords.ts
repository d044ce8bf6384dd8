import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Semaphore } from 'async-mutex'

/** Too many callers are waiting for a hash. They are answered with 503. */
export class PasswordQueueFull extends Error {
  override name = 'PasswordQueueFull'
}

/** Parameters of scrypt. It needs `128 × n × r` bytes of memory. */
interface ScryptCost {
  n: number
  r: number
  p: number
}

/** The default: 32 MiB and about 60 ms per hash. */
const scryptCost: ScryptCost = { n: 2 ** 15, r: 8, p: 1 }

const SALT_BYTES = 16
const HASH_BYTES = 32
const MAX_PASSWORD_BYTES = 4096
const MAX_MEMORY_BYTES = 256 * 1024 * 1024
const DECOY_SALT = Buffer.alloc(SALT_BYTES)

// One queue per process, because it protects resources of the process: two of libuv's four threads stay free for files, and
// concurrent logins use at most 64 MiB.
const MAX_RUNNING = 2
const MAX_WAITING = 200
const slots = new Semaphore(MAX_RUNNING)
let callers = 0

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/**
 * Hashes a password for storage (design §4): `scrypt$N$r$p$salt$hash`, salt and hash in base64url.
 * @throws RangeError when the password has more than 4,096 bytes
 * @throws PasswordQueueFull when 200 callers are waiting
 */
export async function hashPassword(text: string, cost: ScryptCost = scryptCost): Promise<string> {
  if (Buffer.byteLength(text) > MAX_PASSWORD_BYTES) throw new RangeError('the password is too long')
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(text, salt, HASH_BYTES, cost)
  return ['scrypt', cost.n, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/**
 * Whether a password matches a stored hash. Compares in constant time. A missing or unreadable hash takes the same time and
 * never matches.
 * @param encoded result of `hashPassword`, null for an account without a password
 * @param cost cost of the work when the hash is missing
 * @throws PasswordQueueFull when 200 callers are waiting
 */
export async function verifyPassword(
  text: string,
  encoded: string | null,
  cost: ScryptCost = scryptCost,
): Promise<boolean> {
  const stored = encoded === null ? null : parse(encoded)
  if (stored === null || Buffer.byteLength(text) > MAX_PASSWORD_BYTES) return decoyVerify(text, cost)
  return timingSafeEqual(await derive(text, stored.salt, stored.hash.length, stored.cost), stored.hash)
}

/**
 * Does the work of `verifyPassword` for an unknown login, so that response times do not reveal which logins exist
 * (design §11). Always false.
 * @throws PasswordQueueFull when 200 callers are waiting
 */
export async function decoyVerify(text: string, cost: ScryptCost = scryptCost): Promise<false> {
  await derive(text.slice(0, MAX_PASSWORD_BYTES), DECOY_SALT, HASH_BYTES, cost)
  return false
}

async function derive(text: string, salt: Buffer, hashBytes: number, { n, r, p }: ScryptCost): Promise<Buffer> {
  if (callers >= MAX_RUNNING + MAX_WAITING) throw new PasswordQueueFull()
  callers += 1
  try {
    const options = { N: n, r, p, maxmem: MAX_MEMORY_BYTES }
    return await slots.runExclusive(() => scryptAsync(text, salt, hashBytes, options))
  } finally {
    callers -= 1
  }
}

const ENCODED = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w-]{11,86})\$([\w-]{43,86})$/

/** Parses a stored hash. Null when it is malformed or would need too much memory. */
function parse(encoded: string): { cost: ScryptCost; salt: Buffer; hash: Buffer } | null {
  const [, n, r, p, salt, hash] = ENCODED.exec(encoded) ?? []
  if (!n || !r || !p || !salt || !hash) return null
  const cost = { n: Number(n), r: Number(r), p: Number(p) }
  const powerOfTwo = cost.n > 1 && (cost.n & (cost.n - 1)) === 0
  if (!powerOfTwo || cost.r < 1 || cost.p < 1 || 128 * cost.r * (cost.n + cost.p + 2) > MAX_MEMORY_BYTES) return null
  return { cost, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') }
}
