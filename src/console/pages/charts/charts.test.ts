import { beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { readText } from '../../testing.ts'
import { type Browser, personWithBrowser } from '../code/testing.ts'

let server: TestServer
let owner: Person & { browser: Browser }
let outsider: Person & { browser: Browser }

beforeAll(async () => {
  server = await startTestServer()
  ;[owner, outsider] = [await personWithBrowser(server, 'keeper'), await personWithBrowser(server, 'outsider')]
  const project = await server.make.project('app', owner)
  const { database, clock } = server.app.platform
  const at = clock.now().toISOString()
  const row = { project_id: project.id, sha: 'a'.repeat(40), ref: 'main', source: 'push' }
  const times = { created_at: at, updated_at: at, started_at: at, finished_at: at }
  for (const [index, status] of (['success', 'failed', 'success'] as const).entries())
    await database.write((tx) =>
      tx
        .insertInto('pipelines')
        .values({ ...row, ...times, iid: index + 1, status })
        .execute(),
    )
  return () => server[Symbol.asyncDispose]()
})

const textOf = (html: string) => readText(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')

test('pipelines by day are a drawing with a name, and the same numbers as a table', async () => {
  const { status, html } = await owner.browser.get('/keeper/app/-/pipelines/charts')
  expect(status).toBe(200)
  const day = server.app.platform.clock.now().toISOString().slice(0, 10)
  expect(html).toMatch(/<svg[^>]*role="img"[^>]*aria-label="Pipelines by day"/)
  expect(html.match(/<rect class="kind0" x=/g)).toHaveLength(1)
  expect(textOf(html)).toContain(`${day} 2 1 0`)
  // Days without pipelines have no duration.
  expect(textOf(html).match(/\d{4}-\d\d-\d\d –/g)).toHaveLength(29)
  expect((await outsider.browser.get('/keeper/app/-/pipelines/charts')).status).toBe(404)
})

test('the storage of a project is shown by kind, to its members', async () => {
  const { status, html } = await owner.browser.get('/keeper/app/-/usage_quotas')
  expect(status).toBe(200)
  expect(textOf(html)).toMatch(/Repository \d+(\.\d)? \w+ /)
  expect(textOf(html)).toContain('Container registry 0 B')
})
