import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../../infra/clock/index.ts'
import { makeFailedJob } from '../../../modules/background-jobs/testing.ts'
import { recordBackup } from '../../../platform/instance/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { type Browser, browserOf } from '../../derived/testing.ts'
import { browserOf as anyBrowser, readText } from '../../testing.ts'

let clock: ManualClock
let server: TestServer
let [root, person]: Browser[] = []

beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  server = await startTestServer({ clock, isOwn: true })
  root = await browserOf(server, { id: 1 })
  person = await browserOf(server, await server.user('someone'))
})
afterAll(() => server.stop())

const textOf = (html: string) => readText(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')

test('the overview tells the state of the server in words, with the pages where one acts', async () => {
  const before = await root!.get('/admin')
  expect(before.status).toBe(200)
  expect(textOf(before.html)).toContain('The database, git, the storages and the objects answer.')
  expect(textOf(before.html)).toContain('No backup of this server is known.')
  const times = { started_at: '2026-03-01T09:00:00.000Z', finished_at: '2026-03-01T10:00:00.000Z' }
  await server.app.platform.database.write((tx) =>
    recordBackup(tx, { path: '/backups/monday.fennec', size_bytes: 4096, is_incremental: false, ...times }),
  )
  await makeFailedJob(server)
  const { html } = await root!.get('/admin')
  expect(textOf(html)).toContain('The last backup ended 2 hours ago. It has 4.0 KiB.')
  expect(textOf(html)).toContain('1 background job failed and will not be repeated.')
  expect(html).toContain('href="/admin/background_jobs?state=failed"')
  expect(textOf((await root!.get('/admin/background_jobs?state=failed')).html)).toContain('Run again')
  expect(textOf((await root!.get('/admin/backups')).html)).toContain('/backups/monday.fennec')
})

test('the load is drawn from the first full minute on, and is a table as well', async () => {
  expect(textOf((await root!.get('/admin')).html)).toContain('from the first full minute')
  clock.advance(60_000)
  const { html } = await root!.get('/admin')
  for (const label of [
    'Requests in five minutes',
    'Most memory in five minutes',
    'Users by the day of their latest sign-in',
  ])
    expect(html).toMatch(new RegExp(`<svg[^>]*role="img"[^>]*aria-label="${label}"`))
  expect(textOf(html)).toMatch(/From Answered Failed 08:05 UTC – – .* 12:00 UTC [1-9]\d* 0/)
})

test('others do not see it', async () => {
  const stranger = anyBrowser(server.url)
  for (const path of ['/admin', '/admin/backups']) {
    expect((await person!.get(path)).status).toBe(403)
    expect((await stranger.get(path)).status).toBe(302)
  }
})
