import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { createWorkQueue } from './kdf-queue.ts'

export { PasswordQueueFull } from './kdf-queue.ts'

/** scrypt's parameters; memory is `128 × n × r` bytes. */
export interface ScryptCost {
  n: number
  r: number
  p: number
}

/** 32 MiB and some 60 ms for each guess. */
export const scryptCost: ScryptCost = { n: 2 ** 15, r: 8, p: 1 }

const SALT_BYTES = 16
const HASH_BYTES = 32
const MAX_PASSWORD_BYTES = 4096
const MAX_MEMORY_BYTES = 256 * 1024 * 1024
const DECOY_SALT = Buffer.alloc(SALT_BYTES)

// One for the process, because what it protects is the process's: two of libuv's four threads stay free for files,
// and a storm of logins costs 64 MiB at most, however many servers a test starts.
const queue = createWorkQueue({ maxRunning: 2, maxWaiting: 200 })

/**
 * What is stored of a password (design §4): `scrypt$N$r$p$salt$hash`, salt and hash in base64url.
 * @throws RangeError when the password has more than 4,096 bytes
 * @throws PasswordQueueFull when 200 others are waiting (answer 503)
 */
export async function hashPassword(text: string, cost: ScryptCost = scryptCost): Promise<string> {
  if (Buffer.byteLength(text) > MAX_PASSWORD_BYTES) throw new RangeError('the password is too long')
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(text, salt, HASH_BYTES, cost)
  return ['scrypt', cost.n, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/**
 * Whether the password is the one that was hashed. Compares in constant time. An account whose stored hash is
 * absent or unreadable answers false after the same work as any other.
 * @param encoded what `hashPassword` gave, null for an account that has no password
 * @param cost what the work costs when there is nothing to compare with
 * @throws PasswordQueueFull when 200 others are waiting (answer 503)
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
 * The work of one `verifyPassword` for a login that does not exist, so that the time of the answer does not tell
 * which names do (design §11). Always false.
 * @throws PasswordQueueFull when 200 others are waiting (answer 503)
 */
export async function decoyVerify(text: string, cost: ScryptCost = scryptCost): Promise<false> {
  await derive(text.slice(0, MAX_PASSWORD_BYTES), DECOY_SALT, HASH_BYTES, cost)
  return false
}

function derive(text: string, salt: Buffer, hashBytes: number, { n, r, p }: ScryptCost): Promise<Buffer> {
  const options = { N: n, r, p, maxmem: MAX_MEMORY_BYTES }
  return queue(
    () =>
      new Promise((resolve, reject) => {
        scrypt(text, salt, hashBytes, options, (error, hash) => (error ? reject(error) : resolve(hash)))
      }),
  )
}

const ENCODED = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w-]{11,86})\$([\w-]{43,86})$/

/** Null unless it is a hash that this machine can afford to compute. */
function parse(encoded: string): { cost: ScryptCost; salt: Buffer; hash: Buffer } | null {
  const [, n, r, p, salt, hash] = ENCODED.exec(encoded) ?? []
  if (!n || !r || !p || !salt || !hash) return null
  const cost = { n: Number(n), r: Number(r), p: Number(p) }
  const powerOfTwo = cost.n > 1 && (cost.n & (cost.n - 1)) === 0
  if (!powerOfTwo || cost.r < 1 || cost.p < 1 || 128 * cost.r * (cost.n + cost.p + 2) > MAX_MEMORY_BYTES) return null
  return { cost, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') }
}
