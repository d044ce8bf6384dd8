import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../index.ts'
import { type Client, git, startTestServer, type TestServer, temporaryDirectory } from '../../testing/index.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
const password = 'korrekt-horse-9'
let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())

async function person(username: string, changes: Record<string, unknown> = {}): Promise<number> {
  const input = { email: `${username}@example.com`, name: username, username, password, ...changes }
  return (await server.root.post('/users', input)).body.id
}

const token = (body: Record<string, unknown>, client: Client = server.anonymous) =>
  client.post('root:/oauth/token', body)
const granted = (username: string, more: Record<string, unknown> = {}) =>
  token({ grant_type: 'password', username, password, ...more })
const bearer = (text: string) => ({ headers: { Authorization: `Bearer ${text}` } })
const short = ({ status, body }: { status: number; body: unknown }) => ({ status, body })

const invalidGrant = {
  status: 400,
  body: {
    error: 'invalid_grant',
    error_description:
      'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the ' +
      'authorization request, or was issued to another client.',
  },
}
const invalidClient = {
  status: 401,
  body: {
    error: 'invalid_client',
    error_description:
      'Client authentication failed due to unknown client, no client authentication included, or unsupported ' +
      'authentication method.',
  },
}
const invalidScope = {
  status: 400,
  body: { error: 'invalid_scope', error_description: 'The requested scope is invalid, unknown, or malformed.' },
}

describe('a token for a password', () => {
  test('is accepted as bearer token, as parameter and as password of git', async () => {
    const id = await person('alice')
    const { status, body } = await granted('alice')
    expect(status).toBe(200)
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      token_type: 'Bearer',
      expires_in: 7200,
      refresh_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      scope: 'api',
      created_at: Date.parse('2026-03-01T12:00:00Z') / 1000,
    })
    const own = await server.anonymous.get('/user', bearer(body.access_token))
    expect(own).toMatchObject({ status: 200, body: { id, username: 'alice' } })
    expect(own.body).not.toHaveProperty('is_admin')
    expect((await server.anonymous.get(`/user?access_token=${body.access_token}`)).status).toBe(200)
    expect((await server.as(body.access_token).get('/user')).status).toBe(401)
    await server.make.project('demo', { id })
    await using folder = await temporaryDirectory()
    const address = `${server.url.replace('http://', `http://oauth2:${body.access_token}@`)}/alice/demo.git`
    expect(await git(folder.path, 'ls-remote', address)).toMatchObject({ code: 0 })
  })

  test('is requested by form or JSON, with username or e-mail address, and with scopes', async () => {
    await person('form')
    const form = new URLSearchParams({
      grant_type: 'password',
      username: 'FORM@example.com',
      password,
      scope: 'read_user  openid',
    })
    const { status, body } = await server.anonymous.post('root:/oauth/token', form)
    expect({ status, scope: body.scope }).toEqual({ status: 200, scope: 'read_user openid' })
    const refused = await server.anonymous.post('/users', {}, bearer(body.access_token))
    expect(refused.body).toMatchObject({ error: 'insufficient_scope', scope: 'api' })
    expect(short(await granted('form', { scope: 'api nonsense' }))).toEqual(invalidScope)
    expect(short(await granted('form', { scope: 'sudo' }))).toEqual(invalidScope)
    await person('boss', { admin: true })
    expect(await granted('boss', { scope: 'api sudo' })).toMatchObject({ status: 200, body: { scope: 'api sudo' } })
  })

  test('is refused for wrong credentials', async () => {
    await person('eve')
    expect(short(await granted('eve', { password: 'wrong' }))).toEqual(invalidGrant)
    expect(short(await granted('nobody'))).toEqual(invalidGrant)
    expect(short(await token({ grant_type: 'password' }))).toEqual(invalidGrant)
    expect(short(await granted('eve', { password: 'x'.repeat(100_000) }))).toEqual(invalidGrant)
    expect((await granted('eve\u0000')).status).toBe(400)
    expect((await granted('eve', { username: { a: 1 } })).status).toBe(400)
    await server.root.put('/application/settings', {
      password_authentication_enabled_for_web: false,
      password_authentication_enabled_for_git: false,
    })
    expect(short(await granted('eve'))).toEqual(invalidGrant)
    await server.root.put('/application/settings', {
      password_authentication_enabled_for_web: true,
      password_authentication_enabled_for_git: true,
    })
    expect((await granted('eve')).status).toBe(200)
  })

  test('is refused for accounts that may not be used', async () => {
    const id = await person('blocked')
    const { body } = await granted('blocked')
    await server.root.post(`/users/${id}/block`)
    expect(short(await granted('blocked'))).toEqual(invalidGrant)
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token }
    expect(short(await token(refresh))).toEqual(invalidGrant)
    expect((await server.anonymous.get('root:/oauth/token/info', bearer(body.access_token))).status).toBe(401)
    await server.root.post(`/users/${id}/unblock`)
    expect((await token(refresh)).status).toBe(200)
    await server.root.delete(`/users/${id}`)
    expect(short(await granted('blocked'))).toEqual(invalidGrant)
  })

  test('is refused while the e-mail address is unconfirmed', async () => {
    await server.root.put('/application/settings', { email_confirmation_setting: 'hard' })
    await person('unconfirmed')
    expect(short(await granted('unconfirmed'))).toEqual(invalidGrant)
    await server.root.put('/application/settings', { email_confirmation_setting: 'off' })
    expect((await granted('unconfirmed')).status).toBe(200)
    expect(short(await granted('unconfirmed@example.com'))).toEqual(invalidGrant)
  })

  test('ten wrong passwords lock the account for ten minutes', async () => {
    const id = await person('locked')
    const guesses = Array.from({ length: 10 }, () => granted('locked', { password: 'wrong' }))
    for (const guess of await Promise.all(guesses)) expect(guess.status).toBe(400)
    expect(short(await granted('locked'))).toEqual(invalidGrant)
    expect((await server.root.get(`/users/${id}`)).body).toMatchObject({ state: 'active', locked: true })
    clock.advance(600_000)
    expect((await server.root.get(`/users/${id}`)).body).toMatchObject({ locked: false })
    expect((await granted('locked')).status).toBe(200)
  })
})

describe('a refresh token', () => {
  test('issues a new pair once, and revokes the old one', async () => {
    await person('fresh')
    const { body: old } = await granted('fresh', { scope: 'api read_user' })
    const refresh = { grant_type: 'refresh_token', refresh_token: old.refresh_token }
    const answers = await Promise.all([token(refresh), token(refresh), token(refresh)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    const renewed = answers.find(({ status }) => status === 200)?.body
    expect(renewed.scope).toBe('api read_user')
    expect(short(await token(refresh))).toEqual(invalidGrant)
    const gone = await server.anonymous.get('/user', bearer(old.access_token))
    expect(gone).toMatchObject({
      status: 401,
      body: { error_description: 'Token was revoked. You have to re-authorize from the user.' },
    })
    expect((await server.anonymous.get('/user', bearer(renewed.access_token))).status).toBe(200)
    const wider = { grant_type: 'refresh_token', refresh_token: renewed.refresh_token, scope: 'api sudo' }
    expect(short(await token(wider))).toEqual(invalidScope)
    const narrower = await token({ ...wider, scope: 'read_user' })
    expect(narrower).toMatchObject({ status: 200, body: { scope: 'read_user' } })
  })

  test('outlives the access token, and is not accepted as one', async () => {
    await person('later')
    const { body } = await granted('later')
    expect((await server.anonymous.get('/user', bearer(body.refresh_token))).status).toBe(401)
    clock.advance(7_200_000)
    expect(await server.anonymous.get('/user', bearer(body.access_token))).toMatchObject({
      status: 401,
      body: { error: 'invalid_token' },
    })
    expect((await token({ grant_type: 'refresh_token', refresh_token: body.refresh_token })).status).toBe(200)
    expect(short(await token({ grant_type: 'refresh_token' }))).toEqual(invalidGrant)
    expect(short(await token({ grant_type: 'refresh_token', refresh_token: 'ü'.repeat(100) }))).toEqual(invalidGrant)
  })
})

describe('other requests for tokens', () => {
  test('are answered with errors of OAuth', async () => {
    expect(short(await token({}))).toEqual({
      status: 400,
      body: { error: 'invalid_request', error_description: 'Missing required parameter: grant_type.' },
    })
    expect(short(await token({ grant_type: 'implicit' }))).toEqual({
      status: 400,
      body: {
        error: 'unsupported_grant_type',
        error_description: 'The authorization grant type is not supported by the authorization server.',
      },
    })
    expect(short(await token({ grant_type: 'client_credentials' }))).toEqual(invalidClient)
    expect(short(await token({ grant_type: 'authorization_code', code: 'x' }))).toEqual(invalidClient)
  })

  test('must not name a client', async () => {
    await person('client')
    expect(short(await granted('client', { client_id: 'app', client_secret: 's' }))).toEqual(invalidClient)
    expect((await granted('client', { client_id: '' })).status).toBe(200)
    const basic = { headers: { Authorization: `Basic ${Buffer.from('app:s').toString('base64')}` } }
    const withBasic = await server.anonymous.post(
      'root:/oauth/token',
      { grant_type: 'password', username: 'client', password },
      basic,
    )
    expect(short(withBasic)).toEqual(invalidClient)
    const asked = { grant_type: 'password', username: 'client', password }
    for (const [credentials, status] of [
      [':', 200],
      [':s', 200],
      ['', 200],
      ['no colon', 401],
    ] as const) {
      const headers = { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
      expect((await server.anonymous.post('root:/oauth/token', asked, { headers })).status).toBe(status)
    }
    expect((await granted('client')).status).toBe(200)
    const withToken = await token({ grant_type: 'password', username: 'client', password }, server.as('glpat-nonsense'))
    expect(withToken.status).toBe(200)
  })
})

describe('revoking', () => {
  test('revokes the pair by either token, and does not report unknown tokens', async () => {
    await person('leaver')
    for (const name of ['access_token', 'refresh_token']) {
      const { body } = await granted('leaver')
      const revoked = await server.anonymous.post('root:/oauth/revoke', { token: body[name] })
      expect(short(revoked)).toEqual({ status: 200, body: {} })
      expect((await server.anonymous.get('/user', bearer(body.access_token))).status).toBe(401)
      const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token }
      expect(short(await token(refresh))).toEqual(invalidGrant)
    }
    expect(short(await server.anonymous.post('root:/oauth/revoke', { token: 'unknown' }))).toEqual({
      status: 200,
      body: {},
    })
    const missing = await server.anonymous.post('root:/oauth/revoke', {})
    expect(short(missing)).toEqual({
      status: 400,
      body: { message: '400 (Bad request) "token" not given', error: 'token is missing' },
    })
    const client = await server.anonymous.post('root:/oauth/revoke', { token: 'x', client_id: 'app' })
    expect(short(client)).toEqual(invalidClient)
  })
})

describe('the presented token', () => {
  const info = 'root:/oauth/token/info'
  const bad = { status: 401, body: { error: 'invalid_token', error_description: 'The access token is invalid' } }

  test('is described', async () => {
    const id = await person('curious')
    const { body } = await granted('curious', { scope: 'api read_user' })
    clock.advance(100_000)
    const { status, body: told } = await server.anonymous.get(info, bearer(body.access_token))
    expect({ status, told }).toEqual({
      status: 200,
      told: {
        resource_owner_id: id,
        scope: ['api', 'read_user'],
        expires_in: 7100,
        application: { uid: null },
        created_at: body.created_at,
        scopes: ['api', 'read_user'],
        expires_in_seconds: 7100,
      },
    })
    expect((await server.anonymous.get(`${info}?access_token=${body.access_token}`)).status).toBe(200)
    clock.advance(7_100_000)
    expect(short(await server.anonymous.get(info, bearer(body.access_token)))).toEqual(bad)
  })

  test('must be a valid OAuth token', async () => {
    const { body } = await granted('curious')
    expect(short(await server.anonymous.get(info))).toEqual(bad)
    expect(short(await server.anonymous.get(info, bearer('nonsense')))).toEqual(bad)
    expect(short(await server.anonymous.get(info, bearer(server.rootToken)))).toEqual(bad)
    expect(short(await server.root.get(info))).toEqual(bad)
    expect(short(await server.anonymous.get(info, bearer(body.refresh_token)))).toEqual(bad)
    await server.anonymous.post('root:/oauth/revoke', { token: body.access_token })
    expect(short(await server.anonymous.get(info, bearer(body.access_token)))).toEqual(bad)
  })
})

test('tokens are not stored in plain text', async () => {
  await person('keeper')
  const { body } = await granted('keeper')
  const rows = await server.app.platform.database.read.selectFrom('oauth_tokens').selectAll().execute()
  const kept = JSON.stringify(rows)
  expect(kept).not.toContain(body.access_token)
  expect(kept).not.toContain(body.refresh_token)
})
