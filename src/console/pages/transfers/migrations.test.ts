/** Pages of migrations, and of archives of groups. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { personWithBrowser, readText, type TestBrowser } from '../../testing.ts'

let server: TestServer
let owner: Person & { browser: TestBrowser }
beforeAll(async () => {
  server = await startTestServer()
  owner = await personWithBrowser(server, 'owner')
  await owner.post('/groups', { name: 'Mine', path: 'mine' })
})
afterAll(() => server.stop())

const at = '/-/migrations'
const sent = (more: Record<string, string>) => ({
  ...{ _operation: 'bulk_imports.create', _then: `${at}/{id}` },
  ...{ 'configuration[url]': server.url, 'configuration[access_token]': owner.token },
  ...{ 'entities[0][source_type]': 'group_entity', 'entities[0][source_full_path]': 'mine' },
  ...{ 'entities[0][destination_slug]': 'copy', 'entities[0][destination_namespace]': ' ' },
  ...more,
})

test('a migration is started on a page, followed, and listed', async () => {
  const { browser } = owner
  expect((await browser.get(at)).text).toContain('There are none yet.')
  const form = await browser.get(`${at}/new`)
  expect(form.text).toContain('<option value="mine">')
  const refused = await browser.submit(`${at}/new`, sent({ 'entities[0][source_full_path]': 'none' }))
  // The sentence of the API, and what was written, but for the token.
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('not found.')])
  expect(refused.text).toContain('value="copy"')
  expect(refused.text).not.toContain(owner.token)
  const started = await browser.submit(`${at}/new`, sent({}))
  expect(started.status).toBe(303)
  const place = started.headers.get('location') ?? ''
  expect(place).toMatch(/^\/-\/migrations\/\d+$/)
  const { jobs, database } = server.app.platform
  await expect
    .poll(async () => {
      await jobs.drain()
      return (await browser.get(place)).text
    })
    .toContain('Finished')
  const page = (await browser.get(place)).text
  expect(page).toContain('<a href="/copy">copy</a>')
  expect(page).not.toContain('bulk_imports.cancel')
  expect((await browser.get(at)).text).toContain(`href="${place}"`)
  const { id } = await database.read.selectFrom('bulk_import_entities').select('id').executeTakeFirstOrThrow()
  const failure = {
    exception_class: 'InvalidRow',
    exception_message: 'title <b>',
    created_at: '2026-01-01T00:00:00.000Z',
  }
  await database.write(async (tx) => {
    await tx
      .insertInto('bulk_import_failures')
      .values({ entity_id: id, relation: 'labels', ...failure })
      .execute()
    await tx.updateTable('bulk_import_entities').set({ has_failures: true }).execute()
  })
  const failures = `${place}/entities/${id}`
  expect((await browser.get(place)).text).toContain(`href="${failures}"`)
  expect((await browser.get(failures)).text).toContain('title &lt;b&gt;')
  const other = await personWithBrowser(server, 'other')
  for (const path of [place, failures]) expect((await other.browser.get(path)).status).toBe(404)
})

test('the archive of a group is written and downloaded on its page', async () => {
  const { browser } = owner
  const page = '/groups/mine/-/export'
  expect((await browser.get(page)).text).toContain('There is no archive.')
  const { id } = (await owner.get('/groups/mine')).body
  const written = await browser.submit(page, { _operation: 'group_export.start', _then: page, id: String(id) })
  expect(written.status).toBe(303)
  await server.app.platform.jobs.drain()
  expect((await browser.get(page)).text).toContain(`${page}/download`)
  const file = await browser.get('/groups/mine/-/export/download')
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/gzip'])
})

/** The form that imports an archive, which is of a version that nothing reads. */
function importForm(fields: Record<string, string>): FormData {
  const folder = mkdtempSync(join(tmpdir(), 'fennec-console-archive-'))
  writeFileSync(join(folder, 'VERSION'), '0.1')
  execFileSync('tar', ['-czf', join(folder, 'a.tar.gz'), '-C', folder, 'VERSION'])
  const form = new FormData()
  for (const [name, value] of Object.entries({ _operation: 'group_import.create', ...fields })) form.append(name, value)
  form.append('file', new Blob([new Uint8Array(readFileSync(join(folder, 'a.tar.gz')))]), 'a.tar.gz')
  rmSync(folder, { recursive: true })
  return form
}

test('a group is made of an archive on a page, at the top level or below another, and a page shows why it failed', async () => {
  const { browser } = owner
  const { text: page } = await browser.get('/-/groups/import')
  const then = readText(/name="_then" value="([^"]*)"/.exec(page)?.[1] ?? '')
  const { id } = (await owner.get('/groups/mine')).body
  expect(page).toContain(`<option value="${id}">mine</option>`)
  for (const [parent_id, made] of [
    ['', 'brought'],
    [String(id), 'mine/brought'],
  ] as const) {
    const sent = await browser.submit(
      '/-/groups/import',
      importForm({ _then: then, path: 'brought', name: 'Brought', parent_id }),
    )
    expect(sent.status).toBe(303)
    const led = await browser.get(sent.headers.get('location') ?? '')
    expect([led.status, led.headers.get('location')]).toEqual([302, `/groups/${made}/-/import`])
    await server.app.platform.jobs.drain()
    const { text } = await browser.get(`/groups/${made}/-/import`)
    expect(text).toContain('Import version mismatch: Required 0.2.4 but was 0.1')
  }
})

test('the page for importing offers no group below which the visitor makes none, and leads to no other server', async () => {
  const stranger = await personWithBrowser(server, 'stranger')
  expect((await stranger.browser.get('/-/groups/import')).text).not.toContain('>mine</option>')
  const refused = importForm({ path: 'b', name: 'B', parent_id: String((await owner.get('/groups/mine')).body.id) })
  expect((await stranger.browser.submit('/-/groups/import', refused)).status).toBe(404)
  const { headers } = await stranger.browser.get(`/-/groups/import?path=${encodeURIComponent('/evil.example/x')}`)
  expect(headers.get('location')).toBe('/groups/%2Fevil.example%2Fx/-/import')
  expect((await stranger.browser.get('/-/groups/import?path=a&parent_id=999999999999')).status).toBe(404)
})
