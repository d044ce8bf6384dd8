import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../src/infra/clock/index.ts'
import {
  type Client,
  git,
  httpUrl,
  makeHistory,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../src/testing/index.ts'

/** The acceptance walk of the conventions, step by step (contract 00); the numbers are the walk's. */
let server: TestServer
let admin: Client
let user: Person
let outsider: Person
let id: number
const clock = manualClock({ start: '2026-05-04T03:02:01.000Z' })

beforeAll(async () => {
  server = await startTestServer({ clock })
  admin = server.root
  user = await server.user('walker')
  outsider = await server.user('outsider')
  const group = (await admin.post('/groups', { name: 'g', path: 'g' })).body
  const project = await admin.post('/projects', { name: 'p', namespace_id: group.id, initialize_with_readme: true })
  id = project.body.id
  await admin.post(`/projects/${id}/members`, { user_id: user.id, access_level: 30 })
})
afterAll(() => server.stop())

test('1 and 2: one answer for every carrier, with its headers and its ETag', async () => {
  const first = await user.get('/projects/g%2Fp')
  expect(first.status).toBe(200)
  const bearer = await server.anonymous.get('/projects/g%2Fp', { headers: { Authorization: `Bearer ${user.token}` } })
  const query = await server.anonymous.get(`/projects/g%2Fp?private_token=${user.token}`)
  expect(bearer.body).toEqual(first.body)
  expect(query.body).toEqual(first.body)
  expect(first.headers.get('content-type')).toBe('application/json')
  expect(first.headers.get('x-request-id')).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
  expect(first.headers.get('x-runtime')).toMatch(/^\d+\.\d{6}$/)
  const etag = first.headers.get('etag') ?? ''
  const again = await user.get('/projects/g%2Fp', { headers: { 'If-None-Match': etag } })
  expect([again.status, again.body]).toEqual([304, ''])
})

test('3 and 4: paths, outsiders and tokens', async () => {
  expect(await user.get('/projects/g/p')).toMatchObject({
    status: 404,
    body: { error: '404 Not Found', message: '404 Not Found' },
  })
  expect(await user.get('/projects/g%252Fp')).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } })
  expect(await outsider.get('/projects/g%2Fp')).toMatchObject({
    status: 404,
    body: { message: '404 Project Not Found' },
  })
  expect(await server.as('nope').get('/projects/g%2Fp')).toMatchObject({
    status: 401,
    body: { message: '401 Unauthorized' },
  })
  const expired = await server.make.token(user, ['api'], '2026-05-04')
  expect(await server.as(expired).get('/projects/g%2Fp')).toMatchObject({
    status: 401,
    body: { error: 'invalid_token' },
  })
})

test('5 and 6: scopes before parameters, and the forms of 400', async () => {
  const reader = server.as(await server.make.token(user, ['read_api']))
  const path = `/projects/${id}/repository/branches`
  expect(await reader.post(path, { branch: 'x', ref: 'main' })).toMatchObject({
    status: 403,
    body: { error: 'insufficient_scope', scope: 'api' },
  })
  const missing = await user.post(path, { ref: 'main' })
  expect(missing).toMatchObject({ status: 400, body: { error: 'branch is missing' } })
  expect(missing.body.message).toContain('branch')
  const malformed = await user.post(path, '[1', { headers: { 'Content-Type': 'application/json' } })
  expect(malformed).toMatchObject({ status: 400, body: { error: 'message body does not match declared format' } })
})

test('7 and 8: administrators, and acting as another user', async () => {
  const path = '/application/settings'
  expect(await user.get(path)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
  expect((await admin.get(path)).status).toBe(200)
  expect((await server.anonymous.get(path)).status).toBe(401)
  const sudo = (client: Client, name: string) => client.get(path, { headers: { Sudo: name } })
  expect((await sudo(admin, 'walker')).status).toBe(403)
  expect((await sudo(user, 'root')).body).toEqual({ message: '403 Forbidden - Must be admin to use sudo' })
  expect((await sudo(admin, 'nobody')).body).toEqual({ message: "404 User with ID or username 'nobody' Not Found" })
})

test('9: pages', async () => {
  const path = `/projects/${id}/repository/branches`
  for (let index = 0; index < 24; index += 1) await user.post(path, { branch: `b${index}`, ref: 'main' })
  const second = await server.anonymous.get(`${path}?per_page=10&page=2&private_token=${user.token}`)
  expect([second.headers.get('x-page'), second.headers.get('x-total')]).toEqual(['2', '25'])
  const link = second.headers.get('link') ?? ''
  expect([...link.matchAll(/rel="(\w+)"/g)].map((match) => match[1])).toEqual(['prev', 'next', 'first', 'last'])
  expect(link).not.toContain(user.token)
  const next = /<([^>]+)>; rel="next"/.exec(link)?.[1]?.replace(`${server.url}/api/v4`, '') ?? ''
  expect((await user.get(next)).body).toHaveLength(5)
  expect(await user.get(`${path}?page=99`)).toMatchObject({ status: 200, body: [] })
  expect((await user.get(`${path}?per_page=1000`)).headers.get('x-per-page')).toBe('100')
  expect(await user.get(`${path}?page=x`)).toMatchObject({ status: 400, body: { error: 'page is invalid' } })
})

test('11: a renamed project is found by its old path to read, and only to read', async () => {
  expect((await admin.put(`/projects/${id}`, { path: 'renamed' })).status).toBe(200)
  const moved = await user.get('/projects/g%2Fp')
  expect([moved.status, moved.headers.get('location')]).toEqual([301, `${server.url}/api/v4/projects/${id}`])
  expect(await admin.delete('/projects/g%2Fp')).toMatchObject({
    status: 405,
    body: { message: 'Non GET methods are not allowed for moved projects' },
  })
})

test('12: what changed since is not deleted', async () => {
  const branch = `/projects/${id}/repository/branches/b1`
  const headers = { 'If-Unmodified-Since': new Date(clock.now().getTime() - 365 * 86_400_000).toUTCString() }
  expect((await user.delete(branch, { headers })).status).toBe(412)
  expect((await user.get(branch)).status).toBe(200)
  expect(await user.delete(branch)).toMatchObject({ status: 204, body: '' })
})

test('13: the throttle', async () => {
  const limits = {
    throttle_authenticated_api_enabled: true,
    throttle_authenticated_api_requests_per_period: 2,
    throttle_authenticated_api_period_in_seconds: 60,
  }
  expect((await admin.put('/application/settings', limits)).status).toBe(200)
  expect((await user.get('/version')).headers.get('ratelimit-remaining')).toBe('1')
  expect((await user.get('/version')).status).toBe(200)
  const third = await user.get('/version')
  expect(third).toMatchObject({ status: 429, body: { message: 'Retry later' } })
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(third.headers.get('ratelimit-remaining')).toBe('0')
  // Each user has a counter of their own.
  const other = await outsider.get('/version')
  expect([other.status, other.headers.get('ratelimit-remaining')]).toEqual([200, '1'])
  clock.advance(60_000)
  expect((await user.get('/version')).status).toBe(200)
  expect((await admin.put('/application/settings', { throttle_authenticated_api_enabled: false })).status).toBe(200)
  expect((await user.get('/version')).headers.get('ratelimit-limit')).toBeNull()
})

test('14 and 15: preflights, methods, routes', async () => {
  const preflight = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'POST' }
  const options = await server.anonymous.request('OPTIONS', '/projects', { headers: preflight })
  expect([options.status, options.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  const wrong = await user.patch('/version')
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  expect(await user.get('/nothing')).toMatchObject({
    status: 404,
    body: { error: '404 Not Found', message: '404 Not Found' },
  })
  expect((await user.get('root:/api/v3/projects')).status).toBe(404)
})

test('the same with a real push: what git sees is what the API says', async () => {
  await using folder = await temporaryDirectory()
  await makeHistory(folder.path, ['one'])
  const address = httpUrl(server, user, 'g/renamed')
  expect(await git(folder.path, 'push', address, 'main:refs/heads/pushed')).toMatchObject({ code: 0 })
  const head = (await git(folder.path, 'rev-parse', 'main')).stdout.trim()
  expect((await user.get(`/projects/${id}/repository/branches/pushed`)).body.commit.id).toBe(head)
})
