import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Database, lockIsFree } from '../../database/index.ts'
import { patiently, processes, START } from '../fixtures.ts'
import { whatIsNext } from '../store.ts'

/** Advances the clock by a second, again and again, and waits each time until the poll has ended. */
async function pass(seconds: number, { clock }: { clock: { advance(ms: number): void; pendingTimers: number } }) {
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(1000)
    await expect.poll(() => clock.pendingTimers, patiently).toBeGreaterThan(0)
  }
}

const truth = (database: Database) =>
  database.engine === 'postgres' ? lockIsFree('a name without a process') : sql<boolean>`true`

describe('an idle process', () => {
  test('asks the database at most every three seconds, however many queues it has', async () => {
    await using system = await processes()
    const { jobs, database, clock } = await system.open()
    for (let index = 0; index < 20; index += 1) {
      jobs.define({ kind: `kind ${index}`, queue: `queue ${index}`, every: { seconds: 3600 }, run: async () => {} })
    }
    jobs.watch({ condition: () => sql<boolean>`1 = 0`, act: () => Promise.reject(new Error('not true')) })
    await jobs.start()
    const before = database.queryCount()
    await pass(60, { clock })
    // One query a poll, and the due times once.
    const count = database.queryCount() - before
    expect(count).toBeGreaterThanOrEqual(10)
    expect(count).toBeLessThanOrEqual(22)
    await jobs.stop({ timeoutMs: 1000 })
  })

  test('runs what it enqueues for later in time', async () => {
    await using system = await processes()
    const { jobs, database, clock } = await system.open()
    const ranAt: number[] = []
    jobs.define({ kind: 'later', run: async () => void ranAt.push(clock.now().getTime() - Date.parse(START)) })
    await jobs.start()
    await expect.poll(() => clock.pendingTimers, patiently).toBe(1)
    const runAt = new Date(clock.now().getTime() + 700)
    await database.write((tx) => jobs.enqueue(tx, 'later', null, { runAt }))
    clock.advance(699)
    expect(ranAt).toEqual([])
    clock.advance(1)
    await expect.poll(() => ranAt, patiently).toEqual([700])
    await jobs.stop({ timeoutMs: 1000 })
  })

  test('acts on what it watches while the condition is true', async () => {
    await using system = await processes()
    const { jobs, database, clock } = await system.open()
    let acts = 0
    jobs.watch({ condition: () => truth(database), act: async () => void acts++ })
    jobs.define({ kind: 'any', run: async () => {} })
    await jobs.start()
    expect(acts).toBe(1)
    await pass(2, { clock })
    await expect.poll(() => acts, patiently).toBe(3)
    expect(() => jobs.watch({ condition: () => truth(database), act: async () => {} })).toThrow('before the jobs')
    await jobs.stop({ timeoutMs: 1000 })
    expect(await whatIsNext(database.read, [], [])).toEqual({ next: [], isTrue: new Set() })
  })
})
