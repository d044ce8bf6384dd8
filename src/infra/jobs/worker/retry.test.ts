import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { storedJobs } from '../../../testing/jobs.ts'
import { processes, START } from '../fixtures.ts'
import { retryDelayMs } from './runner.ts'

const startMs = Date.parse(START)

describe('back-off', () => {
  test('grows four-fold up to an hour', () => {
    const delays = [1, 2, 3, 4, 5, 6, 1000].map((attempt) => retryDelayMs(attempt, () => 0) / 1000)
    expect(delays).toEqual([10, 40, 160, 640, 2560, 3600, 3600])
  })

  test('jitter removes up to a half', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (n, chance) => {
          const [longestMs, delayMs] = [retryDelayMs(n, () => 0), retryDelayMs(n, () => chance)]
          expect(delayMs).toBeLessThanOrEqual(longestMs)
          expect(delayMs).toBeGreaterThanOrEqual(longestMs / 2)
        },
      ),
    )
  })
})

describe('a job that fails', () => {
  async function failing(error: unknown, maxAttempts?: number) {
    const system = await processes()
    const opened = await system.open()
    const attempts: number[] = []
    opened.jobs.define({
      kind: 'fail',
      ...(maxAttempts === undefined ? {} : { maxAttempts }),
      run: async (_payload, { attempt }) => {
        attempts.push(attempt)
        throw error
      },
    })
    await opened.database.write((tx) => opened.jobs.enqueue(tx, 'fail', null, { uniqueKey: 'one' }))
    return { ...opened, attempts, [Symbol.asyncDispose]: () => system[Symbol.asyncDispose]() }
  }

  test('is retried three times with back-off, then stored with its error', async () => {
    await using system = await failing(new TypeError('disk on fire'))
    const { jobs, database, clock, log, attempts } = system
    for (const [count, delaySeconds] of [10, 40, 160].entries()) {
      await jobs.drain()
      expect(attempts).toHaveLength(count + 1)
      const due = clock.now().getTime() + delaySeconds * 1000
      expect(await storedJobs(database)).toMatchObject([
        { state: 'pending', run_at: new Date(due).toISOString(), last_error: 'TypeError: disk on fire' },
      ])
      clock.advance(delaySeconds * 1000 - 1)
      await jobs.drain()
      expect(attempts).toHaveLength(count + 1)
      clock.advance(1)
    }
    await jobs.drain()
    expect(attempts).toEqual([1, 2, 3, 4])
    const gaveUp = {
      state: 'failed',
      attempts: 4,
      last_error: 'TypeError: disk on fire',
      lease_owner: null,
      lease_until: null,
    }
    expect(await storedJobs(database)).toMatchObject([gaveUp])
    clock.advance(startMs)
    await jobs.drain()
    expect(attempts).toHaveLength(4)
    expect(log.entries.map(({ level }) => level)).toEqual(['warn', 'warn', 'warn', 'error'])
  })

  test.each([
    ['undefined', undefined, 'undefined'],
    ['a text', 'oops', 'oops'],
    ['NUL', new Error('a\0b'), 'Error: ab'],
    ['a long message', new Error('x'.repeat(1_000_000)), `Error: ${'x'.repeat(3993)}`],
  ])('may throw anything: %s', async (_name, error, lastError) => {
    await using system = await failing(error)
    await system.jobs.drain()
    expect(await storedJobs(system.database)).toMatchObject([{ state: 'pending', last_error: lastError }])
  })

  test('may throw synchronously', async () => {
    await using system = await processes()
    const { jobs, database } = await system.open()
    jobs.define({
      kind: 'fail',
      run: () => {
        throw new Error('at once')
      },
    })
    await database.write((tx) => jobs.enqueue(tx, 'fail', null))
    await jobs.drain()
    expect(await storedJobs(database)).toMatchObject([{ state: 'pending', last_error: 'Error: at once' }])
  })
})
