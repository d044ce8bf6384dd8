import { expect, test } from 'vitest'
import { restartDelays } from './index.ts'

test('restarts at once, then ever later, and at once again after a quiet minute', () => {
  const delayOf = restartDelays({ atOnce: 2 })
  const ends = [0, 100, 200, 1_300, 3_400, 7_500, 15_600, 31_700, 59_000]
  expect(ends.map(delayOf)).toEqual([0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  expect(delayOf(119_001)).toBe(0)
})

test('forgets each end after a minute', () => {
  const delayOf = restartDelays({ atOnce: 1 })
  expect([0, 60_000, 60_001, 121_000].map(delayOf)).toEqual([0, 1_000, 1_000, 0])
})

test('waits from the first end on when none is free', () => {
  expect(restartDelays({ atOnce: 0 })(0)).toBe(1_000)
})
