/** Work that takes time shows its state, and its pages are read again by themselves until it ends. */
import { beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing/index.ts'
import { type Browser, browserOf } from './derived/testing.ts'
import { readText } from './testing.ts'

let server: TestServer
let root: Browser
let id: number

beforeAll(async () => {
  server = await startTestServer()
  const owner = await server.user('owner')
  id = (await server.make.project('app', owner)).id
  root = await browserOf(server, { id: 1 })
  return () => server[Symbol.asyncDispose]()
})

const refresh = 'http-equiv="refresh"'

/** The text of a page, and whether it is read again. */
async function shown(path: string) {
  const { status, html } = await root.get(path)
  expect(status, path).toBe(200)
  return { text: readText(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' '), refreshes: html.includes(refresh) }
}

const setImport = (changes: {
  import_status: 'scheduled' | 'started' | 'failed' | 'finished'
  import_error?: string
}) => server.app.platform.database.write((tx) => tx.updateTable('projects').set(changes).where('id', '=', id).execute())

test('the home of a project says that its contents arrive, and why they did not', async () => {
  await setImport({ import_status: 'scheduled' })
  expect(await shown('/owner/app')).toMatchObject({ text: expect.stringContaining('will be copied'), refreshes: true })
  await setImport({ import_status: 'started' })
  expect(await shown('/owner/app')).toMatchObject({ text: expect.stringContaining('being copied'), refreshes: true })
  await setImport({ import_status: 'failed', import_error: '<b>no such host</b>' })
  const failed = await shown('/owner/app')
  expect(failed).toMatchObject({ text: expect.stringContaining('<b>no such host</b>'), refreshes: false })
  await setImport({ import_status: 'finished' })
  expect((await shown('/owner/app')).text).not.toContain('copied')
})

test('a move between storages shows its state in the list and on its own page', async () => {
  const { database, clock } = server.app.platform
  const row = { container_id: id, source_storage_name: 'default', destination_storage_name: 'other' }
  const created_at = clock.now().toISOString()
  const { id: move } = await database.write((tx) =>
    tx
      .insertInto('project_storage_moves')
      .values({ ...row, state: 'started', created_at })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  const pages = ['/admin/project_storage_moves', `/admin/project_storage_moves/${move}`]
  for (const page of pages) {
    expect(await shown(page), page).toMatchObject({ text: expect.stringContaining('Started'), refreshes: true })
  }
  await database.write((tx) => tx.updateTable('project_storage_moves').set({ state: 'finished' }).execute())
  for (const page of pages) {
    expect(await shown(page), page).toMatchObject({ text: expect.stringContaining('Finished'), refreshes: false })
  }
})
