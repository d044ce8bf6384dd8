const poolBytes = 4_096

/**
 * Returns random bytes from a pool: requesting a few bytes at a time from the system is slow. The bytes stay in memory
 * until they are overwritten, so they are for ids, not for secrets.
 * @param randomBytes returns that many random bytes
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
