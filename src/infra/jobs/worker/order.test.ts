import type { Kysely } from 'kysely'
import { describe, expect, test } from 'vitest'
import { storedJobs } from '../../../testing/jobs.ts'
import type { Database, Tables } from '../../database/index.ts'
import { gate, patiently, processes } from '../fixtures.ts'

const HOUR_MS = 3_600_000

describe('order and slots', () => {
  test('jobs with the same order key run one after another, across queues and kinds; other jobs run concurrently', async () => {
    await using system = await processes()
    const workers = await Promise.all([system.open(), system.open()])
    const seen: string[] = []
    const active = new Map<string, number>()
    let mostAtOnce = 0
    const run = async (name: unknown) => {
      const key = String(name).slice(0, 1)
      active.set(key, (active.get(key) ?? 0) + 1)
      mostAtOnce = Math.max(mostAtOnce, active.get(key) ?? 0)
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(String(name))
      active.set(key, (active.get(key) ?? 0) - 1)
    }
    for (const { jobs } of workers) {
      jobs.define({ kind: 'push', run })
      jobs.define({ kind: 'move', queue: 'slow', run })
    }
    const { jobs, database } = workers[0]!
    for (let index = 0; index < 10; index++) {
      for (const orderKey of ['a', 'b']) {
        const kind = index % 3 ? 'push' : 'move'
        await database.write((tx) => jobs.enqueue(tx, kind, `${orderKey}${index}`, { orderKey }))
      }
    }
    await expect
      .poll(async () => {
        await Promise.all(workers.map((worker) => worker.jobs.drain()))
        return seen.length
      }, patiently)
      .toBe(20)
    const digits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    expect(seen.filter((name) => name.startsWith('a'))).toEqual(digits.map((index) => `a${index}`))
    expect(seen.filter((name) => name.startsWith('b'))).toEqual(digits.map((index) => `b${index}`))
    expect(mostAtOnce).toBe(1)
  })

  test('draining runs a job whose turn comes while the queue is read', async () => {
    await using system = await processes()
    const { database } = await system.open()
    let whenRead = async () => {}
    const ofDue = new WeakSet<object>()
    const read = (database.read as unknown as Kysely<Tables>).withPlugin({
      transformQuery({ node, queryId }) {
        if (JSON.stringify(node).includes('"pending"')) ofDue.add(queryId)
        return node
      },
      async transformResult({ result, queryId }) {
        if (ofDue.has(queryId)) await whenRead()
        return result
      },
    })
    const delayed: Database = { ...database, read: Object.assign(read, { engine: database.engine }) as never }
    const { jobs } = await system.open({ database: delayed })
    const first = gate()
    const seen: unknown[] = []
    jobs.define({
      kind: 'push',
      run: async (name) => {
        if (name === 'first') await first.opened
        seen.push(name)
      },
    })
    for (const name of ['first', 'second']) {
      await database.write((tx) => jobs.enqueue(tx, 'push', name, { orderKey: 'k' }))
    }
    const begun = jobs.drain()
    await expect.poll(() => storedJobs(database), patiently).toMatchObject([{ state: 'pending' }, { state: 'running' }])
    // What is read still has the first job, which ends before the answer arrives.
    whenRead = async () => {
      whenRead = async () => {}
      first.open()
      await expect.poll(() => storedJobs(database), patiently).toHaveLength(1)
    }
    await jobs.drain()
    expect(seen).toEqual(['first', 'second'])
    await begun
  })

  test('a job that waits for its retry delays those behind it until it has failed for good', async () => {
    await using system = await processes()
    const { jobs, database, clock } = await system.open()
    const seen: unknown[] = []
    jobs.define({
      kind: 'push',
      maxAttempts: 2,
      run: async (name) => {
        seen.push(name)
        if (name === 'bad') throw new Error('no')
      },
    })
    await database.write((tx) => jobs.enqueue(tx, 'push', 'bad', { orderKey: 'k' }))
    await database.write((tx) => jobs.enqueue(tx, 'push', 'good', { orderKey: 'k' }))
    await jobs.drain()
    expect(seen).toEqual(['bad'])
    clock.advance(HOUR_MS)
    await jobs.drain()
    expect(seen).toEqual(['bad', 'bad', 'good'])
  })

  test('slow jobs fill only the slots of their own queue', async () => {
    await using system = await processes()
    const { jobs, database } = await system.open({ concurrency: 2 })
    const finish = gate()
    let slowRunning = 0
    const quick = gate()
    jobs.define({
      kind: 'slow',
      queue: 'imports',
      run: async () => {
        slowRunning++
        await finish.opened
      },
    })
    jobs.define({ kind: 'quick', run: async () => quick.open() })
    await jobs.start()
    for (let index = 0; index < 5; index++) await database.write((tx) => jobs.enqueue(tx, 'slow', null))
    await expect.poll(() => slowRunning, patiently).toBe(2)
    await database.write((tx) => jobs.enqueue(tx, 'quick', null))
    await quick.opened
    expect(slowRunning).toBe(2)
    finish.open()
    await jobs.drain()
    expect(slowRunning).toBe(5)
  })

  test('two workers on one database run every job once', async () => {
    await using system = await processes()
    const workers = await Promise.all([system.open(), system.open()])
    const runs = new Map<unknown, number>()
    const begun = workers.map(() => gate())
    workers.forEach(({ jobs }, index) => {
      jobs.define({
        kind: 'count',
        run: async (payload) => {
          runs.set(payload, (runs.get(payload) ?? 0) + 1)
          begun[index]!.open()
          // No job ends before both have started, so they run concurrently.
          await Promise.all(begun.map(({ opened }) => opened))
        },
      })
    })
    const { jobs, database } = workers[0]!
    await database.write(async (tx) => {
      for (let index = 0; index < 100; index++) await jobs.enqueue(tx, 'count', index)
    })
    await Promise.all(workers.map((worker) => worker.jobs.drain()))
    expect(runs.size).toBe(100)
    expect([...runs.values()].every((count) => count === 1)).toBe(true)
    expect(await storedJobs(database)).toEqual([])
  })
})
