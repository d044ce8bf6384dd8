import { setImmediate as othersRan } from 'node:timers/promises'

/** In characters or bytes: work on so much text takes about a millisecond. */
const workOfTurn = 256 * 1024

/**
 * Maps rows whose texts may be large, and lets other requests run in between. Rows that are small together are mapped at once.
 * @param lengthOf the length of the large text of a row, in characters
 */
export async function mapInTurns<T, R>(
  rows: readonly T[],
  lengthOf: (row: T) => number,
  map: (row: T) => R,
): Promise<R[]> {
  const mapped: R[] = []
  let work = 0
  for (const row of rows) {
    if (work >= workOfTurn) {
      await othersRan()
      work = 0
    }
    mapped.push(map(row))
    work += lengthOf(row)
  }
  return mapped
}
