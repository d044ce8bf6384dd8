import { expect, test } from 'vitest'
import { manualClock } from '../../clock/index.ts'
import { START } from '../fixtures.ts'
import { createPoller } from './poller.ts'

test('a poll that fails is retried with back-off, and the period is back to normal after a success', async () => {
  const clock = manualClock({ start: START })
  const polls: number[] = []
  const errors: unknown[] = []
  const poller = createPoller({
    clock,
    onError: (error) => errors.push(error),
    async poll() {
      polls.push((clock.now().getTime() - Date.parse(START)) / 1000)
      if (polls.length <= 5) throw new Error('the database is unavailable')
    },
  })
  await poller.start()
  for (let second = 0; second < 40; second += 1) {
    clock.advance(1000)
    // The timer of the next poll is set when the current one has ended.
    while (clock.pendingTimers === 0) await Promise.resolve()
  }
  await poller.stop()
  expect(polls.slice(0, 8)).toEqual([0, 2, 6, 14, 24, 34, 35, 36])
  expect(errors).toHaveLength(5)
})
