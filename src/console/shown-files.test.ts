/** Files outside the API that pages show take the session of a browser; the API and writes do not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { imported, importStream, type Person, startTestServer, type TestServer } from '../testing/index.ts'
import { browserOf, password, personWithBrowser, type TestBrowser } from './testing.ts'

const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex')
const pathOf = (url: string) => new URL(url, 'http://host').pathname

let server: TestServer
let owner: Person & { browser: TestBrowser }
let other: Person & { browser: TestBrowser }
let id: number
/** The addresses of files that only members may read, by what they are. */
const files: Record<string, string> = {}

beforeAll(async () => {
  server = await startTestServer()
  ;[owner, other] = await Promise.all([personWithBrowser(server, 'owner'), personWithBrowser(server, 'other')])
  const project = await imported(server, owner, 'demo', importStream([{ message: 'x', files: [['100644', 'a', 'a']] }]))
  id = project.id
  await owner.put(`/projects/${id}`, { enforce_auth_checks_on_uploads: true })
  const form = (name: string) => {
    const fields = new FormData()
    fields.append(name, new Blob([png]), 'a.png')
    return fields
  }
  const sent = async (method: string, path: string, body: FormData): Promise<Record<string, string>> => {
    const headers = { 'PRIVATE-TOKEN': owner.token ?? '' }
    const answer = await fetch(`${server.url}/api/v4${path}`, { method, headers, body })
    return (await answer.json()) as Record<string, string>
  }
  const upload = await sent('POST', `/projects/${id}/uploads`, form('file'))
  files.upload = upload.full_path ?? ''
  files['short address of an upload'] = upload.url ?? ''
  files['former address of an upload'] = `/owner/demo${upload.url}`
  files.avatar = pathOf((await sent('PUT', `/projects/${id}`, form('avatar'))).avatar_url ?? '')
  const snippet = { title: 's', visibility: 'private', files: [{ file_path: 'a', content: 'x' }] }
  files['snippet of a project'] = pathOf((await owner.post(`/projects/${id}/snippets`, snippet)).body.raw_url)
  files['file of a snippet'] = pathOf((await owner.post('/snippets', snippet)).body.files[0].raw_url)
})
afterAll(() => server.stop())

/** The statuses of an address and of what it leads to. */
async function statusAt(browser: TestBrowser, path: string): Promise<number> {
  const { status, headers } = await browser.get(path)
  return status === 302 ? statusAt(browser, pathOf(headers.get('location') ?? '')) : status
}

describe.each([
  'upload',
  'short address of an upload',
  'former address of an upload',
  'avatar',
  'snippet of a project',
  'file of a snippet',
])('%s', (kind) => {
  test('is read with a session that may, and with no other', async () => {
    const path = files[kind] ?? ''
    expect(await statusAt(owner.browser, path)).toBe(200)
    expect(await statusAt(other.browser, path)).toBe(404)
    expect(await statusAt(browserOf(server.url), path)).toBe(404)
    const ended = browserOf(server.url)
    await ended.signIn('owner', password)
    const cookies = ended.cookies()
    expect(await statusAt(ended, path)).toBe(200)
    await ended.submit('/users/sign_out', {})
    expect(await statusAt(browserOf(server.url, cookies), path)).toBe(404)
  })

  test('is read by the token where one is sent, whoever is signed in', async () => {
    const { status } = await owner.browser.get(files[kind] ?? '', { 'PRIVATE-TOKEN': other.token ?? '' })
    expect(status).toBe(404)
  })
})

test('an archive leads browsers to that of the pages, and programs to that of the API', async () => {
  const address = '/owner/demo/-/archive/main/demo-main.zip'
  const { status, headers } = await owner.browser.get(address)
  expect([status, headers.get('location')]).toEqual([302, `${server.url}/owner/demo/-/download/zip/main`])
  expect(await statusAt(owner.browser, address)).toBe(200)
  for (const [browser, token] of [
    [browserOf(server.url), ''],
    [owner.browser, owner.token ?? ''],
  ] as const) {
    const { headers } = await browser.get(address, token ? { 'PRIVATE-TOKEN': token } : {})
    expect(headers.get('location')).toContain('/api/v4/projects/owner%2Fdemo/repository/archive.zip')
  }
})

test('the API does not look at the session', async () => {
  const [, secret = '', name = ''] = /uploads\/([^/]+)\/(.+)$/.exec(files.upload ?? '') ?? []
  for (const path of [`/projects/${id}/uploads/${secret}/${name}`, `/projects/${id}/repository/archive.zip`, '/user']) {
    const { status } = await owner.browser.get(`/api/v4${path}`)
    expect([path, [401, 404].includes(status)]).toEqual([path, true])
  }
  const made = await owner.browser.submit('/api/v4/projects', { name: 'by-cookie' })
  expect(made.status).toBe(401)
})

test('what takes a session only reads, outside the API, and is not for pages of other origins', () => {
  const taking = server.app.operations.filter(({ takesSession }) => takesSession)
  expect(taking.length).toBeGreaterThan(5)
  for (const { id, method, root, anyOrigin } of taking)
    expect([id, method, root, anyOrigin]).toEqual([id, 'GET', true, undefined])
})
