import { expect, test } from 'vitest'
import { mapInTurns } from './index.ts'

/** How many turns of the event loop pass while rows of this length are mapped. */
async function turnsOf(count: number, length: number): Promise<number> {
  let turns = 0
  let isDone = false
  const turn = () => {
    turns += 1
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  const rows = Array.from({ length: count }, (_, index) => index)
  const mapped = await mapInTurns(
    rows,
    () => length,
    (row) => row + 1,
  )
  isDone = true
  expect(mapped).toEqual(rows.map((row) => row + 1))
  return turns
}

test('large rows are mapped in several turns, small ones in one', async () => {
  expect(await turnsOf(20, 1024 * 1024)).toBeGreaterThanOrEqual(19)
  expect(await turnsOf(100, 100)).toBe(0)
  expect(await turnsOf(1, 10 * 1024 * 1024)).toBe(0)
})
