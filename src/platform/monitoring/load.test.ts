import { expect, onTestFinished, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { type LoadSample, mostSamples, openLoad, sumLoads } from './load.ts'

/** Advances the clock by a minute, and lets the timer of the next sample be set. */
async function minute(clock: ReturnType<typeof manualClock>) {
  clock.advance(60_000)
  await Promise.resolve()
}

function opened(start: string) {
  const clock = manualClock({ start })
  const load = openLoad(clock)
  onTestFinished(load.stop)
  return { clock, load }
}

test('requests and jobs are counted by the minute', async () => {
  const { clock, load } = opened('2026-03-01T12:00:30.000Z')
  const outcomes = (...all: ('done' | 'failed' | 'put off')[]) => {
    for (const outcome of all) load.observeJob({ outcome })
  }
  outcomes('done', 'put off', 'done', 'done')
  for (const status of [200, 404, 500, 503]) load.observe(status)
  expect(load.samples()).toEqual([])
  await minute(clock)
  outcomes('failed', 'done', 'done')
  load.observe(200)
  await minute(clock)
  const { memory_bytes, event_loop_delay_ms, ...first } = load.samples()[0] as LoadSample
  expect(first).toEqual({ at: '2026-03-01T12:00:00.000Z', requests: 4, errors: 2, jobs_done: 3, jobs_failed: 0 })
  expect(memory_bytes).toBeGreaterThan(1_000_000)
  expect(event_loop_delay_ms).toBeGreaterThanOrEqual(0)
  expect(load.samples()[1]).toMatchObject({ requests: 1, errors: 0, jobs_done: 2, jobs_failed: 1 })
})

test('only the last hours are stored', async () => {
  const { clock, load } = opened('2026-03-01T12:00:00.000Z')
  for (let passed = 0; passed < mostSamples + 5; passed += 1) await minute(clock)
  expect(load.samples()).toHaveLength(mostSamples)
  expect(load.samples()[0]?.at).toBe('2026-03-01T12:05:00.000Z')
})

test('a clock that is put forward makes one sample, and a load that has ended none', async () => {
  const { clock, load } = opened('2026-03-01T12:00:00.000Z')
  clock.advance(365 * 86_400_000)
  await Promise.resolve()
  expect(load.samples()).toHaveLength(1)
  load.stop()
  await minute(clock)
  expect([load.samples().length, clock.pendingTimers]).toEqual([1, 0])
})

test('the load of several processes is added by the minute', () => {
  const sample = (at: string, requests: number, delay: number): LoadSample => ({
    ...{ at, requests, errors: 1, event_loop_delay_ms: delay, memory_bytes: 10, jobs_done: 2, jobs_failed: 3 },
  })
  expect(sumLoads([[sample('1', 1, 5), sample('2', 2, 1)], [sample('2', 5, 9)]])).toEqual([
    sample('1', 1, 5),
    { at: '2', requests: 7, errors: 2, event_loop_delay_ms: 9, memory_bytes: 20, jobs_done: 4, jobs_failed: 6 },
  ])
})
