/** Jobs that the server retries in a freeze period. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Person, queriesDuring, startTestServer, type TestServer } from '../../../testing/index.ts'
import { failJob, finishJob, transitionJob } from '../processing/job-changes.ts'
import { watchJob } from '../processing/watch.ts'
import type { CiJobRow } from '../tables.ts'
import { projectWithConfig } from '../testing.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
const period = { freeze_start: '0 0 1 * *', freeze_end: '0 0 1 12 *' }
let server: TestServer
let owner: Person
let base: string
let count = 0
beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
})
afterAll(() => server.stop())
beforeEach(async () => {
  count += 1
  const project = await projectWithConfig(server, owner, `frozen-${count}`, 'one: {script: a, retry: 2}')
  await server.app.platform.jobs.drain()
  base = `/projects/${project.id}`
})

/** The jobs of the project, the oldest first. */
async function jobs(): Promise<CiJobRow[]> {
  const rows = server.app.platform.database.read.selectFrom('ci_jobs').selectAll()
  return rows
    .where('project_id', '=', Number(base.split('/')[2]))
    .orderBy('id')
    .execute()
}

const frozen = async () => (await jobs()).map((job) => job.frozen)

/** Lets the newest job run. */
async function taken(): Promise<CiJobRow> {
  const { platform } = server.app
  const job = (await jobs()).at(-1) as CiJobRow
  const row = await platform.database.write((tx) => transitionJob(platform, tx, job, 'run'))
  return row as CiJobRow
}

/** How often freeze periods are asked for outside of a transaction while a job fails. */
async function asked(fail: () => unknown): Promise<number> {
  const queries = await queriesDuring(server, async () => fail())
  return queries.filter(({ sql }) => sql.includes('freeze_periods')).length
}

test('are marked as frozen while the period lasts, for which is asked before the transaction', async () => {
  const { platform } = server.app
  expect(await frozen()).toEqual([false])
  const { body } = await owner.post(`${base}/freeze_periods`, period)
  const first = await taken()
  expect(await asked(() => finishJob(platform, first, { state: 'failed' }))).toBe(1)
  expect(await frozen()).toEqual([false, true])
  expect((await owner.delete(`${base}/freeze_periods/${body.id}`)).status).toBe(204)
  const second = await taken()
  expect(await asked(() => failJob(platform, second, 'runner_system_failure'))).toBe(1)
  expect(await frozen()).toEqual([false, true, false])
})

test('are so after a job of which nothing was heard', async () => {
  await owner.post(`${base}/freeze_periods`, period)
  await taken()
  clock.advance(61 * 60_000)
  const context = { jobId: 1, attempt: 1, signal: new AbortController().signal }
  expect(await asked(() => watchJob.run(server.app.platform, null, context))).toBe(1)
  expect((await jobs()).map(({ status, frozen }) => [status, frozen])).toEqual([
    ['failed', false],
    ['pending', true],
  ])
})

test('a job that succeeds asks for no freeze period', async () => {
  const job = await taken()
  expect(await asked(() => finishJob(server.app.platform, job, { state: 'success' }))).toBe(0)
})
