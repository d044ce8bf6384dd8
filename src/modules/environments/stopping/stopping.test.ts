/** Which environments are stopped and deleted by the clock, in the background and by their branches: by rows, without pipelines. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EnvironmentRow } from '../tables.ts'
import { startWithEnvironments } from '../testing.ts'
import { stopOfBranchJob } from './branches.ts'
import { dueEnvironmentsJob } from './due.ts'
import { stopStaleJob } from './stale.ts'
import { anyIsDue } from './store.ts'

let at: Awaited<ReturnType<typeof startWithEnvironments>>
let place: Awaited<ReturnType<(typeof at)['made']>>
beforeAll(async () => {
  at = await startWithEnvironments()
})
afterAll(() => at.server.stop())
beforeEach(async () => {
  place = await at.made()
})

const dayMs = 86_400_000
const context = { signal: new AbortController().signal, jobId: 0, attempt: 1 }
const later = (ms: number) => new Date(at.clock.now().getTime() + ms).toISOString()
const ago = (ms: number) => later(-ms)
let count = 0

/** Makes environments by rows, from what is special about each. @returns their ids */
async function make(...special: Partial<EnvironmentRow>[]): Promise<number[]> {
  const { database } = at.server.app.platform
  const rows = special.map((one) => {
    count += 1
    const names = { project_id: place.project.id, name: `e${count}`, slug: `e${count}`, tier: 'other' as const }
    return { ...names, created_at: ago(0), updated_at: ago(0), ...one }
  })
  return database.write(async (tx) => {
    const ids: number[] = []
    for (const row of rows) {
      ids.push((await tx.insertInto('environments').values(row).returning('id').executeTakeFirstOrThrow()).id)
    }
    return ids
  })
}

async function deploy(environmentId: number, special: object = {}): Promise<void> {
  count += 1
  const common = { project_id: place.project.id, environment_id: environmentId, iid: count, ref: 'main', tag: false }
  const times = { created_at: ago(0), updated_at: ago(0), finished_at: null }
  const row = { ...common, ...times, sha: 'a'.repeat(40), status: 'success', user_id: null, by_job: false, ...special }
  await at.server.app.platform.database.write((tx) =>
    tx
      .insertInto('deployments')
      .values(row as never)
      .execute(),
  )
}

/** The states of environments; `gone` for those that were deleted. */
async function states(ids: readonly number[]): Promise<string[]> {
  const { read } = at.server.app.platform.database
  const rows = await read.selectFrom('environments').select(['id', 'state']).where('id', 'in', ids).execute()
  const found = new Map(rows.map(({ id, state }) => [id, state]))
  return ids.map((id) => found.get(id) ?? 'gone')
}

const runDue = () => dueEnvironmentsJob.run(at.server.app.platform, null, context)

describe('by the clock', () => {
  test('environments are stopped at their time, and not before', async () => {
    const ids = await make(
      { auto_stop_at: ago(0) },
      { auto_stop_at: ago(dayMs) },
      { auto_stop_at: later(1) },
      {},
      { auto_stop_at: ago(1), auto_stop_setting: 'with_action' },
    )
    await runDue()
    expect(await states(ids)).toEqual(['stopped', 'stopped', 'available', 'available', 'available'])
    const { read } = at.server.app.platform.database
    const left = await read.selectFrom('environments').select('id').where('auto_stop_at', 'is not', null).execute()
    expect(left.map(({ id }) => id)).toEqual([ids[2]])
  })

  test('environments are available again whose stop job has no result for a week', async () => {
    const stopping = { state: 'stopping' } as const
    const ids = await make(
      { ...stopping, stopping_since: ago(7 * dayMs) },
      { ...stopping, stopping_since: ago(7 * dayMs - 1) },
    )
    await runDue()
    expect(await states(ids)).toEqual(['available', 'stopping'])
  })

  test('stopped review apps are deleted at their time, available ones are not', async () => {
    const ids = await make(
      { state: 'stopped', delete_at: ago(0) },
      { state: 'stopped', delete_at: later(1) },
      { state: 'available', delete_at: ago(0) },
    )
    await runDue()
    expect(await states(ids)).toEqual(['gone', 'stopped', 'available'])
  })

  test('more environments than one portion has are stopped', async () => {
    const ids = await make(...Array.from({ length: 501 }, () => ({ auto_stop_at: ago(dayMs) })))
    await runDue()
    expect(new Set(await states(ids))).toEqual(new Set(['stopped']))
  })

  test('nothing is looked for where nothing is due', async () => {
    const { database } = at.server.app.platform
    await database.write((tx) => tx.deleteFrom('environments').execute())
    const isDue = async (special: Partial<EnvironmentRow>) => {
      const [id = 0] = await make(special)
      const condition = anyIsDue(ago(0), ago(7 * dayMs))
      const { rows } = await sql<{ due: number }>`select case when ${condition} then 1 else 0 end as due`.execute(
        database.read as never,
      )
      await database.write((tx) => tx.deleteFrom('environments').where('id', '=', id).execute())
      return Number(rows[0]?.due) === 1
    }
    expect(await isDue({})).toBe(false)
    expect(await isDue({ auto_stop_at: later(1), stopping_since: ago(7 * dayMs - 1), delete_at: later(1) })).toBe(false)
    expect(await isDue({ auto_stop_at: ago(0) })).toBe(true)
    expect(await isDue({ stopping_since: ago(7 * dayMs) })).toBe(true)
    expect(await isDue({ delete_at: ago(0) })).toBe(true)
  })
})

describe('stale environments', () => {
  const moment = () => ago(10 * dayMs)
  const old = (more: Partial<EnvironmentRow> = {}) => ({ updated_at: ago(10 * dayMs + 1), ...more })
  const run = () =>
    stopStaleJob.run(
      at.server.app.platform,
      { projectId: place.project.id, before: moment(), userId: at.owner.id },
      context,
    )

  test('are those that were neither changed nor deployed to since, and that nothing protects', async () => {
    const rules = { name: 'guarded', deploy_access_levels: [{ access_level: 40 }] }
    expect((await at.owner.post(`${place.base}/protected_environments`, rules)).status).toBe(201)
    const ids = await make(
      old(),
      { updated_at: moment() },
      old({ name: 'guarded' }),
      old({ state: 'stopped' }),
      old(),
      old(),
    )
    await deploy(ids[4] ?? 0, { created_at: moment() })
    await deploy(ids[5] ?? 0, { created_at: ago(10 * dayMs + 1) })
    const elsewhere = place
    place = await at.made()
    const others = await make(old())
    place = elsewhere
    await run()
    expect(await states(ids)).toEqual(['stopped', 'available', 'available', 'stopped', 'available', 'stopped'])
    expect(await states(others)).toEqual(['available'])
  })

  test('are stopped in portions', async () => {
    const ids = await make(...Array.from({ length: 401 }, () => old()))
    await run()
    expect(new Set(await states(ids))).toEqual(new Set(['stopped']))
  })

  test('need a time from ten years to one week ago, both included', async () => {
    const ask = async (given: string) =>
      (await at.maintainer.post(`${place.environments}/stop_stale`, { before: given })).status
    expect([await ask(ago(7 * dayMs)), await ask(ago(7 * dayMs - 1000))]).toEqual([200, 400])
    expect([await ask('2016-03-01T12:00:00Z'), await ask('2016-03-01T11:59:59Z')]).toEqual([200, 400])
  })
})

test('environments end with the branch, to which it was deployed last', async () => {
  const ids = await make({}, {}, {}, {}, { state: 'stopped' })
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = ids
  await deploy(first, { ref: 'topic' })
  await deploy(second, { ref: 'topic' })
  await deploy(second, { ref: 'main' })
  await deploy(third, { ref: 'topic', tag: true })
  await deploy(fourth, { ref: 'refs/merge-requests/7/head' })
  await deploy(fifth, { ref: 'topic' })
  const run = (more: object) => {
    const ended = { projectId: place.project.id, branch: 'topic', userId: null, ...more }
    return stopOfBranchJob.run(at.server.app.platform, ended, context)
  }
  await run({ branch: 'other', userId: at.owner.id })
  expect(await states(ids)).toEqual(['available', 'available', 'available', 'available', 'stopped'])
  await run({})
  expect(await states(ids)).toEqual(['stopped', 'available', 'available', 'available', 'stopped'])
  await run({ iid: 7, userId: at.owner.id })
  expect(await states(ids)).toEqual(['stopped', 'available', 'available', 'stopped', 'stopped'])
})
