import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { storedJobs } from '../../../testing/jobs.ts'
import { type Database, DatabaseUnavailable } from '../../database/index.ts'
import { gate, patiently, processes } from '../fixtures.ts'
import { type JobContext, LeaseLost } from '../types.ts'

describe('a lease', () => {
  test('that expires lets another process claim the job, and the first one cannot end it', async () => {
    await using system = await processes()
    // The same owner: a restarted process must not be mistaken for the previous one.
    const [stuck, other] = [await system.open({ owner: 'same' }), await system.open({ owner: 'same' })]
    const [begun, finish, begunAgain, finishAgain] = [gate(), gate(), gate(), gate()]
    stuck.jobs.define({
      kind: 'work',
      run: async () => {
        begun.open()
        await finish.opened
      },
    })
    other.jobs.define({
      kind: 'work',
      run: async (_payload, { attempt }) => {
        expect(attempt).toBe(2)
        begunAgain.open()
        await finishAgain.opened
      },
    })
    await stuck.database.write((tx) => stuck.jobs.enqueue(tx, 'work', null))
    const stuckDrained = stuck.jobs.drain()
    await begun.opened
    other.clock.advance(59_999)
    await other.jobs.drain()
    expect(await storedJobs(other.database)).toMatchObject([{ state: 'running', lease_owner: 'same', attempts: 1 }])
    other.clock.advance(1)
    const otherDrained = other.jobs.drain()
    await begunAgain.opened
    expect(await storedJobs(other.database)).toMatchObject([{ state: 'running', lease_owner: 'same', attempts: 2 }])
    finish.open()
    await stuckDrained
    expect(await storedJobs(other.database)).toMatchObject([{ state: 'running', lease_owner: 'same', attempts: 2 }])
    expect(stuck.log.entries).toMatchObject([{ message: 'a job ended after its lease was lost' }])
    finishAgain.open()
    await otherDrained
    expect(await storedJobs(other.database)).toEqual([])
  })

  test('is renewed while the job runs', async () => {
    await using system = await processes()
    const owner = await system.open()
    const other = await system.open({ clock: owner.clock })
    const [begun, finish] = [gate(), gate()]
    let runs = 0
    owner.jobs.define({
      kind: 'work',
      run: async () => {
        runs++
        begun.open()
        await finish.opened
      },
    })
    other.jobs.define({ kind: 'work', run: async () => void runs++ })
    await owner.database.write((tx) => owner.jobs.enqueue(tx, 'work', null))
    const drained = owner.jobs.drain()
    await begun.opened
    for (let minute = 0; minute < 30; minute++) {
      const [before] = await storedJobs(other.database)
      owner.clock.advance(20_000)
      await expect
        .poll(async () => (await storedJobs(other.database))[0]?.lease_until, patiently)
        .not.toBe(before?.lease_until)
      // The renewal is recorded before the timer of the next one is set.
      await expect.poll(() => owner.clock.pendingTimers, patiently).toBe(1)
      await other.jobs.drain()
    }
    finish.open()
    await drained
    expect(runs).toBe(1)
    expect(owner.clock.pendingTimers).toBe(0)
  })

  test('allows the end of a job to be recorded when the database is available again', async () => {
    await using system = await processes()
    const { database, clock } = await system.open()
    let losses = 0
    const unreliable: Database = {
      ...database,
      write: (work) =>
        losses-- > 0 ? Promise.reject(new DatabaseUnavailable(new Error('lost'))) : database.write(work),
    }
    const { jobs, log } = await system.open({ database: unreliable, clock })
    let runs = 0
    jobs.define({
      kind: 'work',
      run: async () => {
        runs++
        losses = 2
      },
    })
    await database.write((tx) => jobs.enqueue(tx, 'work', null))
    const drained = jobs.drain()
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect.poll(() => clock.pendingTimers, patiently).toBe(1)
      await expect.poll(() => losses, patiently).toBe(1 - attempt)
      expect(await storedJobs(database)).toMatchObject([{ state: 'running' }])
      clock.advance(1000)
    }
    await drained
    expect(await storedJobs(database)).toEqual([])
    expect([runs, log.entries]).toEqual([1, []])
  })

  test('that is lost aborts the job', async () => {
    await using system = await processes()
    const [stuck, other] = [await system.open(), await system.open()]
    const [begun, finish] = [gate(), gate()]
    let context: JobContext | undefined
    stuck.jobs.define({
      kind: 'work',
      run: async (_payload, given) => {
        context = given
        begun.open()
        await finish.opened
      },
    })
    other.jobs.define({ kind: 'work', run: async () => {} })
    await stuck.database.write((tx) => stuck.jobs.enqueue(tx, 'work', null))
    const drained = stuck.jobs.drain()
    await begun.opened
    other.clock.advance(60_000)
    await other.jobs.drain()
    expect(await storedJobs(other.database)).toEqual([])
    expect(context?.signal.aborted).toBe(false)
    stuck.clock.advance(20_000)
    await expect.poll(() => context?.signal.reason, patiently).toBeInstanceOf(LeaseLost)
    finish.open()
    await drained
  })

  test('is not granted again to a job whose process died in every attempt', async () => {
    await using system = await processes()
    const [dying, other] = [await system.open({ owner: 'dying' }), await system.open()]
    const finish = gate()
    dying.jobs.define({ kind: 'work', maxAttempts: 1, run: () => finish.opened })
    other.jobs.define({ kind: 'work', maxAttempts: 1, run: async () => {} })
    await dying.database.write((tx) => dying.jobs.enqueue(tx, 'work', null))
    await dying.jobs.start()
    other.clock.advance(60_000)
    await other.jobs.drain()
    expect(await storedJobs(other.database)).toMatchObject([
      {
        state: 'failed',
        attempts: 1,
        lease_owner: null,
        last_error: 'the process that ran this job ended unexpectedly',
      },
    ])
    finish.open()
    await dying.jobs.stop({ timeoutMs: 1000 })
    expect(await storedJobs(other.database, { state: 'failed' })).toHaveLength(1)
  })

  test('survives kill -9 until it expires, then the job runs again', async () => {
    await using system = await processes()
    const { jobs, database, clock } = await system.open()
    const payloads: unknown[] = []
    jobs.define({ kind: 'work', run: async (payload) => void payloads.push(payload) })
    await database.write((tx) => jobs.enqueue(tx, 'work', 'precious'))
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('../fixture-hanging.ts', import.meta.url)), system.url],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const exited = once(child, 'exit')
    const [said] = await once(child.stdout, 'data')
    expect(String(said)).toBe('running precious\n')
    child.kill('SIGKILL')
    await exited
    await jobs.drain()
    expect(payloads).toEqual([])
    expect(await storedJobs(database)).toMatchObject([{ state: 'running', lease_owner: 'child' }])
    clock.advance(60_000)
    await jobs.drain()
    expect(payloads).toEqual(['precious'])
    expect(await storedJobs(database)).toEqual([])
  })
})

describe('stopping', () => {
  test('waits for running jobs and claims no more', async () => {
    await using system = await processes()
    const { jobs, database, clock } = await system.open({ concurrency: 1 })
    const [begun, finish] = [gate(), gate()]
    let runs = 0
    jobs.define({
      kind: 'work',
      run: async () => {
        runs++
        begun.open()
        await finish.opened
      },
    })
    await jobs.start()
    await database.write((tx) => jobs.enqueue(tx, 'work', null))
    await database.write((tx) => jobs.enqueue(tx, 'work', null))
    await begun.opened
    const stopped = jobs.stop({ timeoutMs: 5000 })
    finish.open()
    await stopped
    clock.advance(10_000)
    await database.write((tx) => jobs.enqueue(tx, 'work', null))
    expect(runs).toBe(1)
    expect(await storedJobs(database)).toMatchObject([{ state: 'pending' }, { state: 'pending' }])
    expect(clock.pendingTimers).toBe(0)
  })

  test('makes aborted jobs pending again, without counting the attempt', async () => {
    await using system = await processes()
    const { jobs, database, clock, log } = await system.open()
    const begun = gate()
    jobs.define({
      kind: 'work',
      run: (_payload, { signal }) => {
        begun.open()
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      },
    })
    await jobs.start()
    await database.write((tx) => jobs.enqueue(tx, 'work', null))
    await begun.opened
    const stopped = jobs.stop({ timeoutMs: 5000 })
    const armed = clock.pendingTimers
    await expect.poll(() => clock.pendingTimers, patiently).toBe(armed + 1)
    clock.advance(5000)
    await stopped
    expect(await storedJobs(database)).toMatchObject([
      { state: 'pending', attempts: 0, lease_owner: null, last_error: null },
    ])
    expect(log.entries).toEqual([])
  })

  test('stops waiting after the timeout and leaves the lease of a job that does not end', async () => {
    await using system = await processes()
    const { jobs, database, clock } = await system.open()
    const [begun, finish] = [gate(), gate()]
    jobs.define({
      kind: 'work',
      run: () => {
        begun.open()
        return finish.opened
      },
    })
    await jobs.start()
    await database.write((tx) => jobs.enqueue(tx, 'work', null))
    await begun.opened
    let isStopped = false
    const stopped = jobs.stop({ timeoutMs: 5000 }).then(() => {
      isStopped = true
    })
    await expect
      .poll(() => {
        clock.advance(1000)
        return isStopped
      }, patiently)
      .toBe(true)
    await stopped
    expect(await storedJobs(database)).toMatchObject([{ state: 'running', attempts: 1 }])
    finish.open()
    await expect.poll(() => storedJobs(database), patiently).toEqual([])
  })

  test('during a poll leaves no work that needs the database', async () => {
    await using system = await processes()
    const { jobs, database, clock, log } = await system.open()
    for (let index = 0; index < 20; index++) {
      jobs.define({ kind: `work ${index}`, every: { seconds: 1 }, run: async () => {} })
    }
    await jobs.start()
    clock.advance(1000)
    await jobs.stop({ timeoutMs: 1000 })
    expect(clock.pendingTimers).toBe(0)
    await database.close()
    expect(log.entries).toEqual([])
    expect(await storedJobs((await system.open()).database)).toHaveLength(20)
  })

  test('is allowed before the start, and twice', async () => {
    await using system = await processes()
    const { jobs } = await system.open()
    await jobs.stop({ timeoutMs: 1000 })
    await jobs.stop({ timeoutMs: 1000 })
  })
})
