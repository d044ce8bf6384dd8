import type { Reader } from '../../infra/database/index.ts'
import { type End, neighboursOf } from './store.ts'

/** Blocks that follow one another at most (contract 26.5). */
const longestChain = 10

/**
 * How many blocks follow one another from a merge request on.
 * @param end that at which the chain begins
 * @returns null when it leads to another one
 */
async function lengthFrom(db: Reader, end: End, start: number, other: number): Promise<number | null> {
  let reached = [start]
  for (let length = 0; ; length += 1) {
    reached = await neighboursOf(db, end, reached)
    if (reached.includes(other)) return null
    // Stored chains are not longer; this one may be, with the new block.
    if (reached.length === 0 || length === longestChain) return length
  }
}

/** Whether a new block would close a circle, or make a chain too long. */
export async function isOfLongChain(db: Reader, blockingId: number, blockedId: number): Promise<boolean> {
  const before = await lengthFrom(db, 'blocked_id', blockingId, blockedId)
  const after = before === null ? null : await lengthFrom(db, 'blocking_id', blockedId, blockingId)
  return before === null || after === null || before + 1 + after > longestChain
}
