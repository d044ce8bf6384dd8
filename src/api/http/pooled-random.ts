const poolBytes = 4_096

/**
 * Gives random bytes out of a supply: asking the system for a few at a time costs more than all else that names a request.
 * What it gave is not kept, but lies in memory until it is overwritten: for names, not for secrets.
 * @param randomBytes gives that many random bytes
 */
export function pooledRandom(randomBytes: (count: number) => Uint8Array): (count: number) => Uint8Array {
  let pool: Uint8Array = new Uint8Array(0)
  let used = 0
  return (count) => {
    if (used + count > pool.length) {
      pool = randomBytes(Math.max(poolBytes, count))
      used = 0
    }
    used += count
    return pool.subarray(used - count, used)
  }
}
