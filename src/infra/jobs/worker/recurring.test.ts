import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { gate, patiently, processes, START } from '../fixtures.ts'
import { insertJob } from '../store.ts'
import { nextDueMs } from './recurring.ts'

const HOUR_MS = 3_600_000
const DAY_SECONDS = 86_400

describe('a recurring job', () => {
  test('fires once per period, however many processes run', async () => {
    await using system = await processes()
    const workers = await Promise.all([system.open(), system.open(), system.open()])
    let runs = 0
    for (const { jobs } of workers) {
      jobs.define({ kind: 'sweep', every: { seconds: 3600 }, run: async () => void runs++ })
    }
    const drainAll = () => Promise.all(workers.map(({ jobs }) => jobs.drain()))
    await drainAll()
    expect(runs).toBe(0)
    for (let hour = 1; hour <= 3; hour++) {
      for (const { clock } of workers) clock.advance(HOUR_MS - 1)
      await drainAll()
      expect(runs).toBe(hour - 1)
      for (const { clock } of workers) clock.advance(1)
      await drainAll()
      await drainAll()
      expect(runs).toBe(hour)
    }
  })

  test('fires when the clock reaches the due time', async () => {
    await using system = await processes()
    const { jobs, clock } = await system.open()
    let runs = 0
    jobs.define({ kind: 'sweep', every: { seconds: 2 }, run: async () => void runs++ })
    await jobs.start()
    await expect
      .poll(() => {
        clock.advance(1000)
        return runs
      }, patiently)
      .toBeGreaterThan(0)
    await jobs.stop({ timeoutMs: 1000 })
  })

  test('missed periods are made up for by one job, and the phase does not change', async () => {
    await using system = await processes()
    const { jobs, clock } = await system.open()
    const ranAt: string[] = []
    const run = async () => void ranAt.push(clock.now().toISOString().slice(11, 19))
    jobs.define({ kind: 'sweep', every: { seconds: 3600 }, run })
    await jobs.drain()
    clock.advance(5.5 * HOUR_MS)
    await jobs.drain()
    expect(ranAt).toEqual(['17:30:00'])
    clock.advance(HOUR_MS / 2 - 1)
    await jobs.drain()
    expect(ranAt).toHaveLength(1)
    clock.advance(1)
    await jobs.drain()
    expect(ranAt).toEqual(['17:30:00', '18:00:00'])
  })

  test('is not stored while its condition is false, and claims its due times nevertheless', async () => {
    await using system = await processes()
    const { jobs, clock, database } = await system.open()
    let hasWork = false
    const ran: string[] = []
    const every = { seconds: 3600 }
    const truth = (isTrue: boolean) => sql<boolean>`1 = ${sql.lit(isTrue ? 1 : 0)}`
    jobs.define({ kind: 'some', every, when: () => truth(hasWork), run: async () => void ran.push('some') })
    jobs.define({ kind: "it's idle", every, when: () => truth(false), run: async () => void ran.push('idle') })
    jobs.define({ kind: 'always', every, run: async () => void ran.push('always') })
    await jobs.drain()
    for (hasWork of [false, true, false]) {
      clock.advance(HOUR_MS)
      await jobs.drain()
    }
    expect(ran.toSorted()).toEqual(['always', 'always', 'always', 'some'])
    const rows = await database.read.selectFrom('recurring_jobs').select('next_run_at').execute()
    expect(new Set(rows.map(({ next_run_at }) => next_run_at))).toEqual(new Set(['2026-03-01T16:00:00.000Z']))
  })

  test('a restart neither fires nor delays it', async () => {
    await using system = await processes()
    let runs = 0
    for (let minutes = 0; minutes <= 65; minutes += 13) {
      const { jobs, clock } = await system.open()
      clock.advance(minutes * 60_000)
      jobs.define({ kind: 'sweep', every: { seconds: 3600 }, run: async () => void runs++ })
      await jobs.drain()
      expect(runs).toBe(minutes >= 60 ? 1 : 0)
    }
  })

  test('a new period counts from the restart that introduced it', async () => {
    await using system = await processes()
    let runs = 0
    const open = async (seconds: number) => {
      const opened = await system.open()
      opened.jobs.define({ kind: 'sweep', every: { seconds }, run: async () => void runs++ })
      await opened.jobs.drain()
      return opened
    }
    await open(DAY_SECONDS)
    const { jobs, clock } = await open(60)
    clock.advance(59_000)
    await jobs.drain()
    expect(runs).toBe(0)
    clock.advance(1000)
    await jobs.drain()
    expect(runs).toBe(1)
  })

  test('no job is enqueued while the previous one runs', async () => {
    await using system = await processes()
    const [slow, other] = [await system.open(), await system.open()]
    const [begun, finish] = [gate(), gate()]
    let runs = 0
    const run = async () => {
      runs++
      begun.open()
      await finish.opened
    }
    for (const { jobs, clock } of [slow, other]) {
      jobs.define({ kind: 'sweep', every: { seconds: 10 }, run })
      await jobs.drain()
      clock.advance(10_000)
    }
    const drained = slow.jobs.drain()
    await begun.opened
    other.clock.advance(10_000)
    await other.jobs.drain()
    expect(runs).toBe(1)
    finish.open()
    await drained
  })

  test('and other jobs that a wrong clock has put off or leased run again', async () => {
    await using system = await processes()
    const yearMs = 365 * DAY_SECONDS * 1000
    const ran: unknown[] = []
    const later = (ms: number) => new Date(Date.parse(START) + ms).toISOString()
    const { jobs, database } = await system.open()
    jobs.define({ kind: 'sweep', every: { seconds: 3600 }, run: async () => {} })
    jobs.define({ kind: 'work', run: async (payload) => void ran.push(payload) })
    const row = { queue: 'default', kind: 'work', max_attempts: 4, created_at: START }
    await database.write(async (tx) => {
      // A second attempt that was put off, a lease, and what a right clock put off for a year.
      await insertJob(tx, { ...row, payload: '"retry"', run_at: later(yearMs + 30_000), updated_at: later(yearMs) })
      const lease = { state: 'running', lease_owner: 'dead', lease_until: later(yearMs + 60_000), attempts: 1 } as const
      await insertJob(tx, { ...row, ...lease, payload: '"lease"', run_at: START, updated_at: later(yearMs) })
      await insertJob(tx, { ...row, payload: '"planned"', run_at: later(yearMs), updated_at: START })
    })
    await jobs.drain()
    expect(ran.sort()).toEqual(['lease', 'retry'])
  })

  test('does not wait for a time that a wrong clock set', async () => {
    await using system = await processes()
    const yearMs = 365 * DAY_SECONDS * 1000
    const ran: string[] = []
    const open = async (name: string, aheadMs: number) => {
      const opened = await system.open()
      opened.clock.advance(aheadMs)
      const every = { hourly: { seconds: 3600 }, daily: { seconds: DAY_SECONDS, offsetSeconds: 3600 } }
      for (const [kind, period] of Object.entries(every)) {
        opened.jobs.define({ kind, every: period, run: async () => void ran.push(`${name} ${kind}`) })
      }
      await opened.jobs.drain()
      return opened
    }
    await open('first', 0)
    const { database } = await open('ahead', yearMs)
    // The process ends before it runs what it enqueued in the year ahead.
    const later = new Date(Date.parse(START) + yearMs).toISOString()
    await database.write((tx) =>
      insertJob(tx, {
        ...{ queue: 'default', kind: 'hourly', payload: 'null', unique_key: 'recurring:hourly', max_attempts: 4 },
        ...{ run_at: later, created_at: later, updated_at: later },
      }),
    )
    const { jobs, clock } = await open('back', 0)
    expect(ran.sort()).toEqual(['ahead daily', 'ahead hourly', 'back daily', 'back hourly'])
    clock.advance(HOUR_MS - 1)
    await jobs.drain()
    expect(ran).toHaveLength(4)
    clock.advance(1)
    await jobs.drain()
    expect(ran).toHaveLength(5)
  })

  test('an offset sets the time of day', async () => {
    await using system = await processes()
    const { jobs, clock } = await system.open()
    const ranAt: string[] = []
    const every = { seconds: DAY_SECONDS, offsetSeconds: 3600 }
    jobs.define({ kind: 'expire', every, run: async () => void ranAt.push(clock.now().toISOString()) })
    for (let hour = 0; hour < 48; hour++) {
      await jobs.drain()
      clock.advance(HOUR_MS)
    }
    expect(ranAt).toEqual(['2026-03-02T01:00:00.000Z', '2026-03-03T01:00:00.000Z'])
  })

  test('with an offset, the next due time is in phase and at most one period later', () => {
    const whole = { max: 4_000_000_000_000 }
    fc.assert(
      fc.property(
        fc.nat(whole),
        fc.integer({ min: 1, max: 10_000_000 }),
        fc.nat(20_000_000),
        (afterMs, seconds, offset) => {
          const next = nextDueMs({ seconds, offsetSeconds: offset }, afterMs)
          expect(next).toBeGreaterThan(afterMs)
          expect(next).toBeLessThanOrEqual(afterMs + seconds * 1000)
          expect(Math.abs(next - offset * 1000) % (seconds * 1000)).toBe(0)
        },
      ),
    )
  })
})
