import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'

const clock = manualClock({ start: '2026-03-10T12:00:00.000Z' })
let server: TestServer
let owner: Person
let base: string
let projectId: number

beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  projectId = (await server.make.project('counted', owner)).id
  base = `/projects/${projectId}/pipelines/by_day`
})
afterAll(() => server.stop())

type Made = { day: string; status: 'success' | 'failed' | 'running'; seconds?: number }

let iid = 0
async function pipeline({ day, status, seconds }: Made): Promise<void> {
  iid += 1
  const at = `${day}T08:00:00.000Z`
  const finished_at = seconds === undefined ? null : new Date(Date.parse(at) + seconds * 1000).toISOString()
  const times = { created_at: at, updated_at: at, started_at: at, finished_at }
  const row = { project_id: projectId, iid, sha: 'a'.repeat(40), ref: 'main', status, source: 'push', ...times }
  await server.app.platform.database.write((tx) => tx.insertInto('pipelines').values(row).execute())
}

test('pipelines are counted by day, with their mean duration', async () => {
  const none = { total: 0, success: 0, failed: 0, duration: null }
  expect((await owner.get(`${base}?days=2`)).body).toEqual([
    { date: '2026-03-09', ...none },
    { date: '2026-03-10', ...none },
  ])
  await pipeline({ day: '2026-03-07', status: 'success', seconds: 1000 })
  await pipeline({ day: '2026-03-08', status: 'success', seconds: 10 })
  await pipeline({ day: '2026-03-10', status: 'success', seconds: 10 })
  await pipeline({ day: '2026-03-10', status: 'failed', seconds: 31 })
  await pipeline({ day: '2026-03-10', status: 'running' })
  expect((await owner.get(`${base}?days=3`)).body).toEqual([
    { date: '2026-03-08', total: 1, success: 1, failed: 0, duration: 10 },
    { date: '2026-03-09', ...none },
    { date: '2026-03-10', total: 3, success: 1, failed: 1, duration: 21 },
  ])
  expect((await owner.get(base)).body).toHaveLength(30)
})

test('days have bounds, and the numbers take the same queries for any of them', async () => {
  for (const days of ['0', '91', 'x']) expect((await owner.get(`${base}?days=${days}`)).status, days).toBe(400)
  const queries = (days: number) => queriesOf(server, () => owner.get(`${base}?days=${days}`))
  expect(await queries(90)).toBe(await queries(1))
})
