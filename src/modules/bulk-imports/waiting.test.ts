/** Runs of entities that end while they wait for the source (contract 25, x.bulk_import_cancel). */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { groupMigration, migrate, type Pretended, pretendGroup, pretendSource } from './testing.ts'

const clock = manualClock({ start: '2026-03-04T05:06:07.890Z' })
let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  await server.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
})
afterAll(() => server.stop())

const line = `${JSON.stringify({ title: 'one', color: '#112233', created_at: '2026-01-02T03:04:05.678Z' })}\n`
const beginning = gzipSync(line.repeat(1_000)).subarray(0, 50)
const download = 'GET /groups/7/export_relations/download'

/** Migrates a group whose source leaves a call without an end, and does `act` while the run waits for it. */
async function whileWaiting(slug: string, call: string, answer: Pretended | null, act: (id: number) => Promise<void>) {
  await using source = await pretendSource()
  pretendGroup(source, { id: 7, path: 'g', relations: { labels: [{ title: 'one' }] } })
  source.answers.set(call, answer)
  const id = await migrate(owner, groupMigration(source.url, 's', 'g', slug))
  const drained = server.app.platform.jobs.drain()
  await expect.poll(() => source.asked.some(({ method, path }) => `${method} ${path}` === call)).toBe(true)
  await act(id)
  await drained
}

const statesOf = async (id: number) => [
  (await owner.get(`/bulk_imports/${id}`)).body.status,
  (await owner.get(`/bulk_imports/${id}/entities`)).body.map(({ status }: { status: string }) => status),
]

test.each([
  ['for an answer', 'GET /groups/7/export_relations/status', null],
  ['for a file', download, null],
  ['for the rest of a file', download, { bytes: beginning, stalls: true }],
] as const)('a run that waits %s of the source stops when its migration is canceled', async (what, call, answer) => {
  await whileWaiting(what.replaceAll(' ', '-'), call, answer, async (id) => {
    expect((await owner.post(`/bulk_imports/${id}/cancel`)).status).toBe(200)
    clock.advance(5_000)
    await expect.poll(() => statesOf(id)).toEqual(['canceled', ['canceled']])
  })
  const { read } = server.app.platform.database
  expect(await read.selectFrom('jobs').select('kind').where('kind', '=', 'bulk_imports.entity').execute()).toEqual([])
})

test('a run whose migration goes on keeps waiting', async () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await using source = await pretendSource()
  pretendGroup(source, { id: 7, path: 'g' })
  const found = source.answers.get('GET /groups/7/export_relations/status') as Pretended
  source.answers.set('GET /groups/7/export_relations/status', async () => {
    await released
    return found
  })
  const id = await migrate(owner, groupMigration(source.url, 's', 'g', 'kept'))
  const drained = server.app.platform.jobs.drain()
  await expect.poll(() => source.asked.some(({ path }) => path === '/groups/7/export_relations/status')).toBe(true)
  clock.advance(15_000)
  release()
  await drained
  expect(await statesOf(id)).toEqual(['finished', ['finished']])
})
