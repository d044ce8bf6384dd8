import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Database } from '../database/index.ts'
import { gate, patiently, processes, START } from './fixtures.ts'
import { claimJobs, deleteFinished, hastenJob, insertJob, renewLease, returnJob, runnableIds } from './store.ts'

const lane = { queue: 'default', kinds: ['work'] }
const LATER = '2026-03-01T12:01:00.000Z'
const lease = { owner: 'me', now: START, leaseUntil: LATER, limit: 10 }

function insert(database: Database, id: number, orderKey: string | null = null): Promise<number | null> {
  return database.write((tx) =>
    insertJob(tx, {
      id,
      queue: 'default',
      kind: 'work',
      payload: 'null',
      unique_key: null,
      order_key: orderKey,
      run_at: START,
      max_attempts: 4,
      lease_owner: null,
      lease_until: null,
      last_error: null,
      created_at: START,
      updated_at: START,
    }),
  )
}

describe('claiming', () => {
  test('concurrent claims never take two jobs with the same order key, in any order of the commits', async () => {
    await using system = await processes()
    const [one, two] = [(await system.open()).database, (await system.open()).database]
    await insert(one, 2, 'k')
    const [taken, commit] = [gate(), gate()]
    const claimedByOne = one.write(async (tx) => {
      const rows = await claimJobs(tx, lane, lease)
      taken.open()
      await commit.opened
      return rows
    })
    await taken.opened
    const inserted = insert(two, 1, 'k')
    if (two.engine === 'postgres') await inserted
    let isSettled = false
    const claimedByTwo = two
      .write((tx) => claimJobs(tx, lane, lease))
      .finally(() => {
        isSettled = true
      })
    // SQLite has one writer. On PostgreSQL, wait until the second claim waits for the lock, or has ended.
    const waits = async () =>
      (
        await sql<{ count: number }>`select count(*) as count from pg_locks where not granted`.execute(
          one.read as never,
        )
      ).rows[0]?.count
    if (two.engine === 'postgres') await expect.poll(async () => isSettled || (await waits()), patiently).toBeTruthy()
    commit.open()
    await inserted
    expect((await claimedByOne).map(({ id }) => id)).toEqual([2])
    expect(await claimedByTwo).toEqual([])
  })

  test('takes the oldest due jobs first, abandoned ones before them', async () => {
    await using system = await processes()
    const { database } = await system.open()
    for (const id of [5, 3, 9, 4]) await insert(database, id)
    const claim = (now: string, limit: number) =>
      database.write((tx) => claimJobs(tx, lane, { ...lease, now, leaseUntil: LATER, limit }))
    const ids = async (claimed: ReturnType<typeof claim>) => (await claimed).map(({ id }) => id)
    expect(await ids(claim(START, 2))).toEqual([3, 4])
    expect(await ids(claim(LATER, 3))).toEqual([3, 4, 5])
    expect(await ids(claim(START, 10))).toEqual([9])
  })

  test('a kind may have any name', async () => {
    await using system = await processes()
    const { database } = await system.open()
    await insert(database, 1)
    const strange = { queue: `o'queue`, kinds: [`a','work`, 'wörk', '"', '%'] }
    expect(await runnableIds(database.read, strange, START, 10)).toEqual([])
    expect(
      await runnableIds(database.read, { queue: 'default', kinds: [...strange.kinds, 'work'] }, START, 10),
    ).toEqual([1])
  })
})

describe('hastening', () => {
  test('brings a job forward, and never puts it off', async () => {
    await using system = await processes()
    const { database } = await system.open()
    await insert(database, 1)
    const keyed = { kind: 'work', unique_key: 'k' }
    const [early, late] = ['2026-03-01T12:00:30.000Z', '2026-03-01T13:00:00.000Z']
    await database.write((tx) => tx.updateTable('jobs').set({ unique_key: 'k', run_at: LATER }).execute())
    const hasten = (run_at: string, other: object = {}) =>
      database.write((tx) => hastenJob(tx, { ...keyed, run_at, ...other }))
    const runAt = async () => (await database.read.selectFrom('jobs').select('run_at').executeTakeFirstOrThrow()).run_at
    await hasten(early, { unique_key: 'other' })
    await hasten(early, { kind: 'other' })
    await hasten(late)
    expect(await runAt()).toBe(LATER)
    await hasten(early)
    expect(await runAt()).toBe(early)
    await hasten(LATER)
    expect(await runAt()).toBe(early)
    await database.write((tx) => tx.updateTable('jobs').set({ state: 'running' }).execute())
    await hasten(START)
    expect(await runAt()).toBe(early)
  })
})

describe('a lease', () => {
  test('only the holder of the current attempt renews, returns or ends a job', async () => {
    await using system = await processes()
    const { database } = await system.open()
    await insert(database, 1)
    await database.write((tx) => claimJobs(tx, lane, lease))
    const [row] = await database.write((tx) => claimJobs(tx, lane, { ...lease, now: LATER }))
    expect(row).toMatchObject({ attempts: 2, lease_owner: 'me' })
    const back = { state: 'pending', run_at: START, attempts: 0, last_error: null, updated_at: START } as const
    const strangers = [
      { id: 1, owner: 'me', attempt: 1 },
      { id: 1, owner: 'you', attempt: 2 },
      { id: 2, owner: 'me', attempt: 2 },
    ]
    for (const stranger of strangers) {
      expect(await database.write((tx) => renewLease(tx, stranger, LATER))).toBe(false)
      expect(await database.write((tx) => returnJob(tx, stranger, back))).toBe(false)
      expect(await database.write((tx) => deleteFinished(tx, stranger))).toBe(false)
    }
    const holder = { id: 1, owner: 'me', attempt: 2 }
    expect(await database.write((tx) => renewLease(tx, holder, LATER))).toBe(true)
    expect(await database.write((tx) => returnJob(tx, holder, back))).toBe(true)
    expect(await database.write((tx) => deleteFinished(tx, holder))).toBe(false)
  })
})
