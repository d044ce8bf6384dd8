import { describe, expect, test } from 'vitest'
import { storedJobs } from '../../testing/jobs.ts'
import { gate, patiently, processes, START } from './fixtures.ts'
import { type EndedJob, RunLater } from './index.ts'

const HOUR_MS = 3_600_000

describe('enqueueing', () => {
  test('a job runs with its payload after the commit, once, and leaves no row', async () => {
    await using system = await processes()
    const { jobs, database } = await system.open()
    const payloads: unknown[] = []
    jobs.define({ kind: 'note', run: async (payload) => void payloads.push(payload) })
    const id = await database.write((tx) => jobs.enqueue(tx, 'note', { text: 'hello' }))
    expect(await storedJobs(database)).toMatchObject([
      { id, kind: 'note', queue: 'default', state: 'pending', run_at: START },
    ])
    await jobs.drain()
    await jobs.drain()
    expect(payloads).toEqual([{ text: 'hello' }])
    expect(await storedJobs(database)).toEqual([])
  })

  test('a job of a rolled-back transaction does not run', async () => {
    await using system = await processes()
    const { jobs, database } = await system.open()
    let runs = 0
    jobs.define({ kind: 'note', run: async () => void runs++ })
    await jobs.start()
    const failing = database.write(async (tx) => {
      await jobs.enqueue(tx, 'note', null)
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    await jobs.drain()
    expect(runs).toBe(0)
    expect(await storedJobs(database)).toEqual([])
  })

  test('a started queue runs a job without waiting for the next poll', async () => {
    await using system = await processes()
    const { jobs, database } = await system.open()
    const done = gate()
    jobs.define({ kind: 'note', run: async () => done.open() })
    await jobs.start()
    await database.write((tx) => jobs.enqueue(tx, 'note', null))
    await done.opened
    await expect.poll(() => storedJobs(database), patiently).toEqual([])
  })

  test('settling waits for what is due and for jobs that jobs enqueue, and not for later ones', async () => {
    await using system = await processes()
    const { jobs, database, clock } = await system.open()
    const ran: string[] = []
    jobs.define({ kind: 'second', queue: 'other', run: async () => void ran.push('second') })
    jobs.define({
      kind: 'first',
      run: async () => {
        ran.push('first')
        await database.write((tx) => jobs.enqueue(tx, 'second', null))
      },
    })
    await jobs.start()
    await database.write((tx) => jobs.enqueue(tx, 'first', null))
    await jobs.settle()
    expect(ran).toEqual(['first', 'second'])
    expect(await storedJobs(database)).toEqual([])
    const runAt = new Date(clock.now().getTime() + HOUR_MS)
    await database.write((tx) => jobs.enqueue(tx, 'second', null, { runAt }))
    await jobs.settle()
    expect(ran).toHaveLength(2)
    await jobs.stop({ timeoutMs: 1000 })
  })

  test('a free slot takes the next job at once', async () => {
    await using system = await processes()
    const { jobs, database } = await system.open({ concurrency: 1 })
    const seen: unknown[] = []
    jobs.define({ kind: 'note', run: async (payload) => void seen.push(payload) })
    await database.write(async (tx) => {
      for (let index = 0; index < 5; index++) await jobs.enqueue(tx, 'note', index)
    })
    await jobs.start()
    await expect.poll(() => seen, patiently).toEqual([0, 1, 2, 3, 4])
    await jobs.stop({ timeoutMs: 1000 })
  })

  test('another process finds the job at its next poll', async () => {
    await using system = await processes()
    const [here, there] = [await system.open(), await system.open()]
    const done = gate()
    here.jobs.define({ kind: 'note', run: async () => {} })
    there.jobs.define({ kind: 'note', run: async () => done.open() })
    await there.jobs.start()
    await here.database.write((tx) => here.jobs.enqueue(tx, 'note', null))
    there.clock.advance(3000)
    await done.opened
  })

  test('a job with a later run_at waits until then', async () => {
    await using system = await processes()
    const { jobs, database, clock } = await system.open()
    const ranAt: string[] = []
    jobs.define({ kind: 'note', run: async () => void ranAt.push(clock.now().toISOString()) })
    const runAt = new Date('2026-03-01T13:00:00.000Z')
    await database.write((tx) => jobs.enqueue(tx, 'note', null, { runAt }))
    clock.advance(HOUR_MS - 1)
    await jobs.drain()
    expect(ranAt).toEqual([])
    clock.advance(1)
    await jobs.drain()
    expect(ranAt).toEqual(['2026-03-01T13:00:00.000Z'])
  })

  test.each([
    ['nothing', undefined, null],
    ['text that looks like SQL', `'); drop table jobs; --`, `'); drop table jobs; --`],
    ['NUL and half a surrogate', ['\0', '\ud800'], ['\0', '\ud800']],
    ['a prototype', JSON.parse('{"__proto__": {"polluted": true}}'), JSON.parse('{"__proto__": {"polluted": true}}')],
    ['a large text', 'x'.repeat(300_000), 'x'.repeat(300_000)],
  ])('a payload comes as it was given: %s', async (_name, payload, expected) => {
    await using system = await processes()
    const { jobs, database } = await system.open()
    const payloads: unknown[] = []
    jobs.define({ kind: 'note', run: async (given) => void payloads.push(given) })
    await database.write((tx) => jobs.enqueue(tx, 'note', payload))
    await jobs.drain()
    expect(payloads).toEqual([expected])
  })

  test('an undefined kind and a payload that is not JSON are rejected', async () => {
    await using system = await processes()
    const { jobs, database } = await system.open()
    jobs.define({ kind: 'note', run: async () => {} })
    await expect(database.write((tx) => jobs.enqueue(tx, 'toString', null))).rejects.toThrow(
      'jobs of kind toString are not defined',
    )
    await expect(database.write((tx) => jobs.enqueue(tx, 'note', 1n))).rejects.toThrow(TypeError)
    expect(await storedJobs(database)).toEqual([])
  })

  test('a process does not claim jobs without a handler', async () => {
    await using system = await processes()
    const [older, newer] = [await system.open(), await system.open()]
    older.jobs.define({ kind: 'note', run: async () => {} })
    newer.jobs.define({ kind: 'letter', run: async () => {} })
    await newer.database.write((tx) => newer.jobs.enqueue(tx, 'letter', null))
    await older.jobs.drain()
    expect(await storedJobs(older.database)).toMatchObject([{ kind: 'letter', state: 'pending', attempts: 0 }])
  })
})

describe('a job that is put off', () => {
  test('runs again after the delay, and its attempt does not count', async () => {
    await using system = await processes()
    const { jobs, database, clock, log } = await system.open()
    const attempts: number[] = []
    jobs.define({
      kind: 'wait',
      maxAttempts: 1,
      run: async (_payload, { attempt }) => {
        attempts.push(attempt)
        if (attempts.length < 3) throw new RunLater(5_000)
      },
    })
    await database.write((tx) => jobs.enqueue(tx, 'wait', null))
    for (const runs of [1, 2, 3]) {
      await jobs.drain()
      await jobs.drain()
      expect(attempts).toHaveLength(runs)
      clock.advance(5_000)
    }
    expect([attempts, await storedJobs(database), log.entries]).toEqual([[1, 1, 1], [], []])
  })
})

describe('a process that is alone', () => {
  test('takes over the jobs of its predecessor when it starts', async () => {
    await using system = await processes()
    const [dead, alone] = [await system.open(), await system.open({ alone: true })]
    const begun = gate()
    const finish = gate()
    let runs = 0
    dead.jobs.define({
      kind: 'work',
      run: () => {
        begun.open()
        return finish.opened
      },
    })
    alone.jobs.define({ kind: 'work', run: async () => void runs++ })
    await dead.database.write((tx) => dead.jobs.enqueue(tx, 'work', null))
    const drained = dead.jobs.drain()
    await begun.opened
    await alone.jobs.start()
    await expect.poll(() => runs, patiently).toBe(1)
    finish.open()
    await drained
    await alone.jobs.stop({ timeoutMs: 1_000 })
  })
})

describe('unique keys', () => {
  test('no second job is stored while one is pending or running', async () => {
    await using system = await processes()
    const { jobs, database } = await system.open()
    const [begun, finish] = [gate(), gate()]
    jobs.define({
      kind: 'note',
      run: async () => {
        begun.open()
        await finish.opened
      },
    })
    jobs.define({ kind: 'letter', queue: 'letters', run: async () => {} })
    const enqueue = (kind: string, uniqueKey: string) =>
      database.write((tx) => jobs.enqueue(tx, kind, null, { uniqueKey }))
    expect(await enqueue('note', `o'key`)).not.toBeNull()
    expect(await enqueue('note', `o'key`)).toBeNull()
    expect(await enqueue('note', 'another')).not.toBeNull()
    expect(await enqueue('letter', `o'key`)).not.toBeNull()
    const drained = jobs.drain()
    await begun.opened
    expect(await enqueue('note', `o'key`)).toBeNull()
    finish.open()
    await drained
    expect(await enqueue('note', `o'key`)).not.toBeNull()
  })

  test('the transaction of the second job is committed', async () => {
    await using system = await processes()
    const { jobs, database } = await system.open()
    jobs.define({ kind: 'note', run: async () => {} })
    const ids = await database.write(async (tx) => [
      await jobs.enqueue(tx, 'note', 1, { uniqueKey: 'a' }),
      await jobs.enqueue(tx, 'note', 2, { uniqueKey: 'a' }),
      await jobs.enqueue(tx, 'note', 3),
    ])
    expect(ids).toEqual([expect.any(Number), null, expect.any(Number)])
    expect((await storedJobs(database)).map(({ payload }) => payload)).toEqual(['3', '1'])
  })
})

describe('definitions', () => {
  test('kinds are defined once, with a valid period, and before the start', async () => {
    await using system = await processes()
    const { jobs } = await system.open()
    jobs.define({ kind: 'note', run: async () => {} })
    expect(() => jobs.define({ kind: 'note', run: async () => {} })).toThrow('note is already defined')
    for (const seconds of [0, -1, 0.5, Number.NaN]) {
      expect(() => jobs.define({ kind: 'never', every: { seconds }, run: async () => {} })).toThrow(RangeError)
    }
    await jobs.start()
    await expect(jobs.start()).rejects.toThrow('already started')
    expect(() => jobs.define({ kind: 'late', run: async () => {} })).toThrow('before the jobs are started')
    await jobs.stop({ timeoutMs: 1000 })
  })
})

test('the end of each run is reported with its outcome', async () => {
  const ended: EndedJob[] = []
  await using system = await processes()
  const { jobs, database } = await system.open({ onEnded: (job) => void ended.push(job) })
  jobs.define({ kind: 'well', run: async () => {} })
  jobs.define({ kind: 'badly', maxAttempts: 1, run: () => Promise.reject(new Error('no')) })
  jobs.define({ kind: 'later', run: () => Promise.reject(new RunLater(HOUR_MS)) })
  await database.write(async (tx) => {
    for (const kind of ['well', 'well', 'badly', 'later']) await jobs.enqueue(tx, kind, null)
  })
  await jobs.drain()
  const outcomes = ended.map(({ kind, outcome, attempt, error }) => [kind, outcome, attempt, error?.toString()])
  expect(outcomes.sort()).toEqual([
    ['badly', 'failed', 1, 'Error: no'],
    ['later', 'put off', 1, undefined],
    ['well', 'done', 1, undefined],
    ['well', 'done', 1, undefined],
  ])
  expect(ended.every(({ startedMs, endedMs }) => startedMs <= endedMs)).toBe(true)
})
