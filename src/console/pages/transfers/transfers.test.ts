import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requestFolder } from '../../../config.ts'
import { archiveOf, filesOf } from '../../../modules/project-archives/testing.ts'
import { bytesAt, startTestServer, type TestServer } from '../../../testing/index.ts'
import { browserOf, personWithBrowser, readText } from '../../testing.ts'

let server: TestServer
let owner: Awaited<ReturnType<typeof personWithBrowser>>
let id: number
beforeAll(async () => {
  server = await startTestServer()
  owner = await personWithBrowser(server, 'owner')
  await server.root.put('/application/settings', { project_download_export_limit: 0 })
  id = (await owner.post('/projects', { name: 'demo', initialize_with_readme: true })).body.id
})
afterAll(() => server.stop())

const address = '/owner/demo/-/export'
const drain = () => server.app.platform.jobs.drain()
const textOf = (html: string) => readText(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ')
const shown = async (path: string) => textOf((await owner.browser.get(path)).text)

/** The form that imports an archive into a project. */
function formOf(path: string, archive: Buffer): FormData {
  const form = new FormData()
  form.set('_operation', 'project_import.create')
  form.set('_then', '/{path_with_namespace}/-/import')
  form.set('path', path)
  form.set('file', new File([new Uint8Array(archive)], 'a.tar.gz'))
  return form
}

test('an archive is written, and downloaded', async () => {
  expect(await shown(address)).toContain('There is no archive.')
  const sent = await owner.browser.submit(address, {
    _operation: 'project_export.start',
    _then: address,
    id: String(id),
  })
  expect([sent.status, sent.headers.get('location')]).toEqual([303, address])
  await drain()
  const page = (await owner.browser.get(address)).text
  expect(textOf(page)).toContain('The archive is written. It stays for a day.')
  expect(page).toContain(`href="${address}/download"`)
  const headers = { Cookie: owner.browser.cookies() }
  const answer = await fetch(`${server.url}${address}/download`, { headers })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/gzip'])
  expect(filesOf(Buffer.from(await answer.arrayBuffer())).has('project.bundle')).toBe(true)
})

test('a project is made of an archive, with what could not be imported', async () => {
  const files = filesOf((await bytesAt(owner, `/projects/${id}/export/download`)).bytes)
  files.set('tree/project/labels.ndjson', Buffer.from('no label\n'))
  const form = formOf('copy', archiveOf(files))
  expect(await shown('/projects/import')).toContain('Archive')
  const sent = await owner.browser.submit('/projects/import', form)
  expect([sent.status, sent.headers.get('location')]).toEqual([303, '/owner/copy/-/import'])
  await drain()
  const text = await shown('/owner/copy/-/import')
  expect(text).toContain('The import is finished.')
  expect(text).toContain('labels, line 1 The line is not JSON')
  const again = await owner.browser.submit('/projects/import', form)
  expect([again.status, textOf(again.text)]).toEqual([400, expect.stringContaining('Path has already been taken')])
})

test('an archive may be as large as the instance allows, for users who are signed in', async () => {
  const files = filesOf((await bytesAt(owner, `/projects/${id}/export/download`)).bytes)
  files.set('tree/unknown', Buffer.alloc(101 * 1024 * 1024))
  const bodies = () => readdir(requestFolder(server.app.platform.config))
  const before = await bodies()
  const archive = archiveOf(files, 0)
  expect((await browserOf(server.url).submit('/projects/import', formOf('large', archive))).status).toBe(413)
  await server.root.put('/application/settings', { max_import_size: 101 })
  expect((await owner.browser.submit('/projects/import', formOf('large', archive))).status).toBe(413)
  await server.root.put('/application/settings', { max_import_size: 0 })
  expect((await owner.get('/projects/owner%2Flarge')).status).toBe(404)
  const sent = await owner.browser.submit('/projects/import', formOf('large', archive))
  expect([sent.status, sent.headers.get('location')]).toEqual([303, '/owner/large/-/import'])
  await drain()
  expect(await shown('/owner/large/-/import')).toContain('The import is finished.')
  expect(await bodies()).toEqual(before)
})

test('a form sends no larger file than its operation takes', async () => {
  await server.root.put('/application/settings', { max_attachment_size: 1 })
  const form = new FormData()
  form.set('_operation', 'project_uploads.create')
  form.set('id', String(id))
  form.set('file', new File([new Uint8Array(2 * 1024 * 1024)], 'a.txt'))
  const { status } = await owner.browser.submit('/owner/demo/-/uploads/new', form)
  await server.root.put('/application/settings', { max_attachment_size: 100 })
  expect(status).toBe(413)
  expect((await owner.get(`/projects/${id}/uploads`)).body).toEqual([])
})

test('an import that has failed says why', async () => {
  await owner.browser.submit('/projects/import', formOf('broken', Buffer.from('no archive')))
  await drain()
  const text = await shown('/owner/broken/-/import')
  expect(text).toContain('The import has failed. The project can be looked at, and deleted.')
  expect(text).toContain('The archive is not a gzip file, or is damaged')
})
