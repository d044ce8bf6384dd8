import { writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../src/infra/clock/index.ts'
import { makeSnippetPeople, type SnippetPeople } from '../../src/modules/snippets/testing.ts'
import {
  git,
  httpUrl,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../src/testing/index.ts'

/** The acceptance walk of snippets (contract 09), over HTTP and with the real git client; the numbers are the walk's. */
const clock = manualClock({ start: '2026-03-01T10:00:00Z' })
let server: TestServer
let people: SnippetPeople
let author: Person
let other: Person
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let copy: string
let id: number
/** Says of everything that it may be spam, and of every CAPTCHA that it was solved. */
let services: Server
let address: string

beforeAll(async () => {
  services = createServer((request, response) => {
    response.end(JSON.stringify(request.url === '/check' ? { verdict: 'suspicious' } : { success: true }))
  })
  await new Promise<void>((resolve) => services.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(services.address() as AddressInfo).port}`
  server = await startTestServer({ clock })
  people = await makeSnippetPeople(server)
  author = people.owner
  other = people.outsider
  folder = await temporaryDirectory()
  copy = `${folder.path}/copy`
})
afterAll(async () => {
  await server.stop()
  await folder[Symbol.asyncDispose]()
  await new Promise((resolve) => services.close(resolve))
})

const short = ({ status, body }: { status: number; body: unknown }) => ({ status, body })
const notFound = { status: 404, body: { message: '404 Snippet Not Found' } }
const message = (status: number, text: string) => ({ status, body: { message: { error: text } } })
const file = (file_path: string, content: string) => ({ file_path, content })
const idsOf = ({ body }: { body: { id: number }[] }) => body.map((one) => one.id)

test('1 creates a snippet', async () => {
  const files = [file('b.txt', 'B'), file('a.rb', 'A')]
  const answer = await author.post('/snippets', { title: 'T', visibility: 'private', files })
  id = answer.body.id
  const page = `${server.url}/-/snippets/${id}`
  expect(answer).toMatchObject({
    status: 201,
    body: {
      file_name: 'a.rb',
      web_url: page,
      raw_url: `${page}/raw`,
      http_url_to_repo: `${server.url}/snippets/${id}.git`,
      ssh_url_to_repo: expect.stringMatching(new RegExp(`^git@.*:snippets/${id}\\.git$`)),
      files: [
        { path: 'a.rb', raw_url: `${page}/raw/main/a.rb` },
        { path: 'b.txt', raw_url: `${page}/raw/main/b.txt` },
      ],
    },
  })
})

test('2 shows it to the author and administrators', async () => {
  const path = `/snippets/${id}`
  expect((await author.get(path)).status).toBe(200)
  expect((await server.root.get(path)).status).toBe(200)
  for (const client of [other, server.anonymous]) expect(short(await client.get(path))).toEqual(notFound)
})

test('3 serves its files', async () => {
  const first = await author.get(`/snippets/${id}/raw`)
  expect([first.body, first.headers.get('content-type'), first.headers.get('content-disposition')]).toEqual([
    'A',
    'text/plain; charset=utf-8',
    `inline; filename="a.rb"; filename*=UTF-8''a.rb`,
  ])
  expect((await author.get(`/snippets/${id}/files/main/b.txt/raw`)).body).toBe('B')
  expect((await author.get(`/snippets/${id}/files/nope/b.txt/raw`)).body).toEqual({
    message: '404 Reference Not Found',
  })
  const absolute = await author.get(`/snippets/${id}/files/main/%2Fetc%2Fpasswd/raw`)
  expect([absolute.status, absolute.body.error]).toEqual([400, 'file_path should be a valid file path'])
})

test('4 is a repository', async () => {
  const url = httpUrl(server, author, `snippets/${id}`)
  expect((await git(folder.path, 'clone', '--quiet', url, 'copy')).code).toBe(0)
  expect((await git(copy, 'ls-files')).stdout).toBe('a.rb\nb.txt\n')
  const before = (await author.get(`/snippets/${id}`)).body.updated_at
  clock.advance(60_000)
  await writeFile(`${copy}/a.rb`, 'A2')
  await git(copy, 'commit', '--quiet', '--all', '--message', 'change')
  expect((await git(copy, 'push', 'origin', 'main')).code).toBe(0)
  expect((await author.get(`/snippets/${id}/raw`)).body).toBe('A2')
  expect((await author.get(`/snippets/${id}`)).body.updated_at > before).toBe(true)
  const branch = await git(copy, 'push', 'origin', 'main:new')
  expect([branch.code, branch.stderr]).toEqual([1, expect.stringContaining('can not create or delete branches')])
})

test('5 changes by one commit', async () => {
  const files = [
    { action: 'move', previous_path: 'a.rb', file_path: 'c.rb' },
    { action: 'update', file_path: 'c.rb', content: 'C' },
    { action: 'create', file_path: 'd.txt', content: 'D' },
    { action: 'delete', file_path: 'b.txt' },
  ]
  // A path may stand in one action only.
  expect((await author.put(`/snippets/${id}`, { files })).status).toBe(422)
  files[1] = { action: 'create', file_path: 'e.txt', content: 'E' }
  const { status, body } = await author.put(`/snippets/${id}`, { files })
  expect([status, body.files.map(({ path }: { path: string }) => path)]).toEqual([200, ['c.rb', 'd.txt', 'e.txt']])
  const update = [{ action: 'update', file_path: 'c.rb', content: 'C' }]
  expect((await author.put(`/snippets/${id}`, { files: update })).status).toBe(200)
  await git(copy, 'pull', '--quiet')
  expect((await git(copy, 'log', '--format=%s')).stdout).toBe(
    'Update snippet\nUpdate snippet\nchange\nInitial commit\n',
  )
})

test('6 refuses wrong changes', async () => {
  const put = async (body: object) => short(await author.put(`/snippets/${id}`, body))
  expect(await put({ content: 'x' })).toEqual(
    message(400, 'To update Snippets with multiple files, you must use the `files` parameter'),
  )
  expect((await put({})).status).toBe(400)
  const move = { files: [{ action: 'move', file_path: 'x' }] }
  expect(await put(move)).toEqual(message(422, 'Snippet actions have invalid data'))
  const all = ['c.rb', 'd.txt', 'e.txt'].map((file_path) => ({ action: 'delete', file_path }))
  expect(await put({ files: all })).toEqual(
    message(400, 'Repository Error updating the snippet - The repository must contain at least 1 file.'),
  )
})

test('7 becomes public', async () => {
  const { body } = await author.put(`/snippets/${id}`, { visibility: 'public' })
  expect((await server.anonymous.get(`/snippets/${id}`)).status).toBe(200)
  expect((await server.anonymous.get(`root:${new URL(body.raw_url).pathname}`)).body).toBe('C')
  expect((await git(folder.path, 'clone', '--quiet', body.http_url_to_repo, 'open')).code).toBe(0)
  expect(idsOf(await other.get('/snippets/public'))).toEqual([id])
  expect((await server.anonymous.get('/snippets/public')).status).toBe(401)
})

test('8 becomes internal', async () => {
  await author.put(`/snippets/${id}`, { visibility: 'internal' })
  expect((await other.get(`/snippets/${id}`)).status).toBe(200)
  for (const client of [people.external, server.anonymous]) {
    expect(short(await client.get(`/snippets/${id}`))).toEqual(notFound)
  }
})

test('9 refuses to create', async () => {
  const body = { title: 'T', files: [file('a', '1')] }
  expect((await people.external.post('/snippets', body)).status).toBe(403)
  expect((await author.post('/snippets', { files: body.files })).status).toBe(400)
  expect((await author.post('/snippets', { ...body, content: 'x' })).status).toBe(400)
  const files = Array.from({ length: 11 }, (_, index) => file(`f${index}`, 'x'))
  expect((await author.post('/snippets', { ...body, files })).status).toBe(400)
  expect(idsOf(await author.get('/snippets'))).toEqual([id])
})

test('10 lists', async () => {
  const before = clock.now().toISOString()
  clock.advance(60_000)
  for (const title of ['second', 'third'])
    await author.post('/snippets', { title, visibility: 'private', files: [file('a', '1')] })
  const { headers, body } = await author.get(`/snippets?created_after=${before}&per_page=1`)
  expect([body.length, headers.get('x-total'), headers.get('x-total-pages')]).toEqual([1, '2', '2'])
  expect(idsOf(await server.root.get('/snippets/all'))).toContain(body[0].id)
  expect(idsOf(await other.get('/snippets/all'))).toEqual([id])
})

test('11 shows administrators the user agent', async () => {
  const headers = { 'User-Agent': 'Walker/1' }
  const made = await author.post('/snippets', { title: 'T', files: [file('a', '1')] }, { headers })
  const path = `/snippets/${made.body.id}/user_agent_detail`
  expect((await server.root.get(path)).body).toMatchObject({ user_agent: 'Walker/1', akismet_submitted: false })
  expect((await author.get(path)).status).toBe(403)
})

test('12 refuses spam', async () => {
  const set = (settings: object) => server.root.put('/application/settings', settings)
  const body = { title: 'T', visibility: 'public', files: [file('a', '1')] }
  await set({
    allow_local_requests_from_web_hooks_and_services: true,
    spam_check_endpoint_enabled: true,
    spam_check_endpoint_url: `${address}/check`,
  })
  const text = 'Your snippet has been recognized as spam and has been discarded.'
  expect(short(await author.post('/snippets', body))).toEqual(message(400, text))
  await set({
    recaptcha_enabled: true,
    recaptcha_site_key: 'site',
    recaptcha_private_key: 'private',
    recaptcha_verification_url: `${address}/captcha`,
  })
  const asked = await author.post('/snippets', body)
  expect([asked.status, asked.body.captcha_site_key]).toEqual([409, 'site'])
  const headers = { 'X-GitLab-Captcha-Response': 'solved', 'X-GitLab-Spam-Log-Id': String(asked.body.spam_log_id) }
  expect((await author.post('/snippets', body, { headers })).status).toBe(201)
  expect((await author.post('/snippets', { ...body, visibility: 'private' })).status).toBe(201)
  await set({ spam_check_endpoint_enabled: false })
})

test('13 limits creations', async () => {
  const busy = await server.user('busy')
  const project = await server.make.project('mixed', busy)
  const body = { title: 'T', visibility: 'private', files: [file('a', '1')] }
  await server.root.put('/application/settings', { snippet_create_limit_per_hour: 4 })
  for (const path of ['/snippets', `/projects/${project.id}/snippets`]) {
    for (let count = 0; count < 2; count += 1) expect((await busy.post(path, body)).status).toBe(201)
  }
  const refused = await busy.post('/snippets', body)
  expect(short(refused)).toEqual(message(429, 'This endpoint has been requested too many times. Try again later.'))
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  clock.advance(3_600_000)
  expect((await busy.post('/snippets', body)).status).toBe(201)
  const { body: settings } = await server.root.put('/application/settings', { snippet_create_limit_per_hour: 300 })
  expect(settings.snippet_create_limit_per_hour).toBe(300)
})

test('14 works in projects', async () => {
  const { reporter, guest, maintainer, developer } = people
  const project = await server.make.project('walked', author)
  for (const [person, level] of [
    [maintainer, 40],
    [developer, 20],
    [reporter, 20],
    [guest, 10],
  ] as const) {
    await server.make.member({ project }, person, level)
  }
  const path = `/projects/${project.id}/snippets`
  const body = { title: 'T', visibility: 'private', files: [file('a', '1')] }
  const { status, body: made } = await reporter.post(path, body)
  expect(status).toBe(201)
  const url = made.http_url_to_repo.replace('://', `://any:${reporter.token}@`)
  expect((await git(folder.path, 'clone', '--quiet', url, 'project')).code).toBe(0)
  expect((await guest.post(path, body)).status).toBe(403)
  expect((await other.get(`${path}/${made.id}`)).status).toBe(404)
  expect((await developer.put(`${path}/${made.id}`, { title: 'x' })).status).toBe(403)
  expect((await maintainer.put(`${path}/${made.id}`, { title: 'x' })).status).toBe(200)
})

test('15 is deleted', async () => {
  const path = `/snippets/${id}`
  expect(short(await other.delete(path))).toEqual(notFound)
  const headers = { 'If-Unmodified-Since': 'Sun, 01 Feb 2026 00:00:00 GMT' }
  expect((await author.delete(path, { headers })).status).toBe(412)
  expect(short(await author.delete(path))).toEqual({ status: 204, body: '' })
  expect(short(await author.delete(path))).toEqual(notFound)
  const gone = await git(folder.path, 'clone', httpUrl(server, author, `snippets/${id}`), 'gone')
  expect(gone.stderr).toContain('not found')
})
