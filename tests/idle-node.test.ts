/** What a node asks the database while nothing happens (docs/operating.md). */
import { expect, test } from 'vitest'
import { manualClock } from '../src/infra/clock/index.ts'
import { startTestServer } from '../src/testing/index.ts'

const minutes = 10
const patiently = { timeout: 20_000, interval: 2 }

test('an idle node asks the database at most once a second, its recurring jobs included', async () => {
  const clock = manualClock({ start: '2026-03-10T12:00:30.000Z' })
  await using server = await startTestServer({ clock, isOwn: true })
  const { database, jobs } = server.app.platform
  await jobs.drain()
  const atRest = clock.pendingTimers
  const passSecond = async () => {
    clock.advance(1000)
    // The poll has ended when its timer is back, and a job when that of its lease is gone.
    await expect.poll(() => clock.pendingTimers, patiently).toBe(atRest)
  }
  // The first look at recurring jobs puts back what a clock ahead has stored.
  for (let second = 0; second < 60; second += 1) await passSecond()
  const began = database.queryCount()
  for (let second = 0; second < minutes * 60; second += 1) await passSecond()
  const perMinute = (database.queryCount() - began) / minutes
  // At least every three seconds it looks for jobs of other nodes. Beginnings and ends of transactions are not counted.
  expect(perMinute).toBeGreaterThanOrEqual(20)
  // Recurring jobs are looked for twice a minute: some keep to the minute of the clock, others to that of the start.
  expect(perMinute).toBeLessThanOrEqual(60)
})
