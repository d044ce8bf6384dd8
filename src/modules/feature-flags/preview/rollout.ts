const c1 = 0xcc9e2d51
const c2 = 0x1b873593

const rotate = (value: number, bits: number) => (value << bits) | (value >>> (32 - bits))
const mixed = (block: number) => Math.imul(rotate(Math.imul(block, c1), 15), c2)

function avalanche(hash: number): number {
  let h = hash
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** MurmurHash3 of 32 bits with the seed 0, by which Unleash clients choose users. */
function murmurHash(text: string): number {
  const bytes = Buffer.from(text)
  const whole = bytes.length - (bytes.length % 4)
  let hash = 0
  for (let at = 0; at < whole; at += 4) {
    hash = (Math.imul(rotate(hash ^ mixed(bytes.readInt32LE(at)), 13), 5) + 0xe6546b64) | 0
  }
  if (whole < bytes.length) hash ^= mixed(bytes.readUIntLE(whole, bytes.length - whole))
  return avalanche(hash ^ bytes.length)
}

/** Whether a user is among the first `percentage` of 100 parts of a group of users, as Unleash clients divide them. */
export function isInRollout(group: string, user: string, percentage: number): boolean {
  return percentage > 0 && (murmurHash(`${group}:${user}`) % 100) + 1 <= percentage
}
