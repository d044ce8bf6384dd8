import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../src/infra/clock/index.ts'
import { type Client, startTestServer, type TestServer } from '../../src/testing/index.ts'

/** The acceptance walk of users and tokens, step by step (contract 20); the numbers are the walk's. */
let server: TestServer
let root: Client
let alice: number
let token: { id: number; token: string }
const clock = manualClock({ start: '2026-05-04T03:02:01.000Z' })
const password = 'correct horse 42 battery'

beforeAll(async () => {
  server = await startTestServer({ clock })
  root = server.root
})
afterAll(() => server.stop())

test('1 and 2: the instance, and root by every carrier', async () => {
  expect((await server.anonymous.get('/-/readiness')).status).toBe(200)
  expect((await root.get('/version')).body.version.split('.')).toHaveLength(3)
  expect(await server.anonymous.get('/version')).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } })
  const bearer = await server.anonymous.get('/user', { headers: { Authorization: `Bearer ${root.token}` } })
  const query = await server.anonymous.get(`/user?private_token=${root.token}`)
  for (const answer of [await root.get('/user'), bearer, query]) {
    expect(answer).toMatchObject({ status: 200, body: { id: 1, is_admin: true } })
  }
  expect(await server.as('bad').get('/user')).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } })
})

test('3: a user is made once and found', async () => {
  const form = { email: 'alice@example.com', username: 'alice', name: 'Alice', password, skip_confirmation: true }
  const made = await root.post('/users', form)
  expect(made.status).toBe(201)
  alice = made.body.id
  expect(await root.post('/users', form)).toMatchObject({
    status: 409,
    body: { message: 'Email has already been taken' },
  })
  expect((await root.get('/users?username=ALICE')).body).toHaveLength(1)
  expect((await server.anonymous.get('/users')).status).toBe(403)
  const shown = await server.anonymous.get('/users?username=alice')
  expect(Object.keys(shown.body[0]).sort()).toEqual(
    ['avatar_url', 'id', 'locked', 'name', 'public_email', 'state', 'username', 'web_url'].sort(),
  )
})

test('4: the password grant', async () => {
  const grant = { grant_type: 'password', username: 'alice', password }
  const granted = await server.anonymous.post('root:/oauth/token', grant)
  expect(granted).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 7200, scope: 'api' } })
  const me = await server.anonymous.get('/user', { headers: { Authorization: `Bearer ${granted.body.access_token}` } })
  expect(me.body.username).toBe('alice')
  expect(me.body).not.toHaveProperty('is_admin')
  const wrong = await server.anonymous.post('root:/oauth/token', { ...grant, password: 'wrong' })
  expect(wrong).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('5 and 6: a token reads and is rotated; the old one ends the family', async () => {
  const made = await root.post(`/users/${alice}/personal_access_tokens`, { name: 'walk', scopes: ['read_api'] })
  expect(made.status).toBe(201)
  token = made.body
  const reader = server.as(token.token)
  expect((await reader.get('/projects')).status).toBe(200)
  expect(await reader.post('/projects', { name: 'no' })).toMatchObject({
    status: 403,
    body: { error: 'insufficient_scope' },
  })
  const rotated = await root.post(`/personal_access_tokens/${token.id}/rotate`)
  expect(rotated.status).toBe(200)
  expect(await reader.get('/projects')).toMatchObject({
    status: 401,
    body: { error_description: 'Token was revoked. You have to re-authorize from the user.' },
  })
  expect((await server.as(rotated.body.token).get('/projects')).status).toBe(200)
  expect(await root.post(`/personal_access_tokens/${token.id}/rotate`)).toMatchObject({
    status: 400,
    body: { message: '400 Bad request - Token already revoked' },
  })
  expect((await server.as(rotated.body.token).get('/projects')).status).toBe(401)
})

test('7: states of an account', async () => {
  const own = server.as(await server.make.token({ id: alice }, ['api']))
  const change = async (verb: string) => {
    const { status, body } = await root.post(`/users/${alice}/${verb}`)
    return [status, body]
  }
  expect(await change('block')).toEqual([201, true])
  expect(await change('block')).toEqual([201, null])
  expect(await own.get('/user')).toMatchObject({
    status: 403,
    body: { message: '403 Forbidden - Your account has been blocked.' },
  })
  expect(await change('unblock')).toEqual([201, true])
  expect(await change('unblock')).toEqual([201, false])
  expect(await change('ban')).toEqual([201, true])
  expect((await root.get(`/users/${alice}`)).body.state).toBe('banned')
  expect(await change('unban')).toEqual([201, true])
  expect((await root.get(`/users/${alice}`)).body.state).toBe('active')
})

test('8: a key belongs to one user', async () => {
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILZH4Wqf6A7zMjZbofHmsRSupJLnFPMwW4OJZlxXTg+A'
  const fingerprint = '/keys?fingerprint=SHA256%3AjHOZwp4wpaONwG2ZwJkFxudmEklOiBibPCcj4YN7FBs'
  const own = server.as(await server.make.token({ id: alice }, ['api']))
  const { status, body } = await own.post('/user/keys', { title: 'laptop', key })
  expect(status).toBe(201)
  expect((await root.post('/user/keys', { title: 'same', key })).body.message).toEqual({
    fingerprint_sha256: ['has already been taken'],
  })
  expect(await root.get(fingerprint)).toMatchObject({ status: 200, body: { id: body.id, user: { id: alice } } })
  expect((await own.delete(`/user/keys/${body.id}`)).status).toBe(204)
  expect((await root.get(fingerprint)).body).toEqual({ message: '404 Key Not Found' })
})

test('9: a status is replaced', async () => {
  const own = server.as(await server.make.token({ id: alice }, ['api']))
  const put = await own.put('/user/status', { emoji: 'thumbsup', message: 'Test', clear_status_after: '3_hours' })
  expect(put).toMatchObject({ status: 200, body: { clear_status_at: '2026-05-04T06:02:01.000Z' } })
  expect((await own.get('/user/status')).body).toEqual(put.body)
  expect((await own.put('/user/status', { message: 'Test', clear_status_after: '30_minutes' })).body).toMatchObject({
    emoji: 'speech_balloon',
  })
  clock.advance(30 * 60_000)
  expect((await root.get('/users/alice/status')).body).toMatchObject({ emoji: null, message: null })
})

test('10 and 11: tokens of a project', async () => {
  const { id } = (await root.post('/projects', { name: 'p' })).body
  const made = await root.post(`/projects/${id}/access_tokens`, { name: 'bot', scopes: ['api'], access_level: 30 })
  expect(made.status).toBe(201)
  const bot = server.as(made.body.token)
  const me = (await bot.get('/user')).body
  expect(me.bot).toBe(true)
  expect((await root.get(`/projects/${id}/members`)).body.map((member: { id: number }) => member.id)).toContain(me.id)
  expect((await root.delete(`/projects/${id}/access_tokens/${made.body.id}`)).status).toBe(204)
  expect((await bot.get('/user')).status).toBe(401)
  const deploy = { name: 'd', scopes: ['read_registry'], expires_at: '2026-05-04' }
  const deployed = await root.post(`/projects/${id}/deploy_tokens`, deploy)
  expect(deployed).toMatchObject({ status: 201, body: { expires_at: '2026-05-04T00:00:00.000Z' } })
  expect((await root.get('/deploy_tokens')).body).toHaveLength(1)
  expect(await root.post(`/projects/${id}/deploy_tokens`, { ...deploy, scopes: ['foo'] })).toMatchObject({
    status: 400,
    body: { error: 'scopes does not have a valid value' },
  })
})

test('12: the throttle is switched on and off by settings', async () => {
  const on = {
    throttle_authenticated_api_enabled: true,
    throttle_authenticated_api_requests_per_period: 1,
    throttle_authenticated_api_period_in_seconds: 3,
  }
  expect((await root.put('/application/settings', on)).status).toBe(200)
  expect((await root.post('/projects', { name: 'one' })).status).toBe(201)
  const second = await root.post('/projects', { name: 'two' })
  expect(second).toMatchObject({ status: 429, body: { message: 'Retry later' } })
  clock.advance(Number(second.headers.get('retry-after')) * 1_000)
  expect((await root.put('/application/settings', { throttle_authenticated_api_enabled: false })).status).toBe(200)
  expect((await root.get('/version')).status).toBe(200)
})

test('13 and 14: wrong words, wrong people, and the end of a user', async () => {
  expect(await root.get(`/users/${alice}/memberships?type=Invalid`)).toMatchObject({
    status: 400,
    body: { error: 'type does not have a valid value' },
  })
  expect((await root.get('/application/settings?sudo=alice')).status).toBe(403)
  expect((await root.delete(`/users/${alice}?hard_delete=true`)).status).toBe(204)
  expect(await root.get(`/users/${alice}`)).toMatchObject({ status: 404, body: { message: '404 User Not Found' } })
})
