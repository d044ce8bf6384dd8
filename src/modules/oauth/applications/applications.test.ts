import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'

const password = 'korrekt-horse-9'
let server: TestServer
let alice: Person

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.user('alice')
  await server.root.put(`/users/${alice.id}`, { password })
  await server.app.platform.database.write((tx) =>
    tx.updateTable('users').set({ password_expired: false }).where('id', '=', alice.id).execute(),
  )
})
afterAll(() => server.stop())

const wanted = { name: 'App', redirect_uri: 'http://app.example/callback', scopes: 'api read_user' }
const create = async (more: object = {}) => (await server.root.post('/applications', { ...wanted, ...more })).body
const token = (body: object, headers: Record<string, string> = {}) =>
  server.anonymous.post('root:/oauth/token', body, { headers })
const byPassword = { grant_type: 'password', username: 'alice', password }
const of = (app: { application_id: string; secret: string }) => {
  return { client_id: app.application_id, client_secret: app.secret }
}
const bearer = (text: string) => ({ headers: { Authorization: `Bearer ${text}` } })

describe('applications', () => {
  test('are registered, listed, renewed and deleted by administrators', async () => {
    const { body: made, status } = await server.root.post('/applications', wanted)
    expect([status, made]).toEqual([
      201,
      {
        ...{ id: expect.any(Number), application_id: expect.stringMatching(/^[0-9a-f]{64}$/), application_name: 'App' },
        ...{ callback_url: wanted.redirect_uri, confidential: true, secret: expect.stringMatching(/^gloas-/) },
      },
    ])
    const { secret, ...shown } = made
    expect((await server.root.get('/applications')).body).toEqual([shown])
    const renewed = await server.root.post(`/applications/${made.id}/renew-secret`)
    expect(renewed).toMatchObject({ status: 201, body: shown })
    expect(renewed.body.secret).not.toBe(secret)
    expect((await token({ ...byPassword, ...of(made) })).status).toBe(401)
    expect((await token({ ...byPassword, ...of(renewed.body) })).status).toBe(200)
    expect((await server.root.delete(`/applications/${made.id}`)).status).toBe(204)
    for (const answer of [
      await server.root.delete(`/applications/${made.id}`),
      await server.root.post(`/applications/${made.id}/renew-secret`),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
    }
    expect((await alice.get('/applications')).status).toBe(403)
  })

  test.each([
    [{ redirect_uri: 'callback' }, { redirect_uri: ['must be an absolute URI.'] }],
    [{ redirect_uri: 'http://' }, { redirect_uri: ['must be an absolute URI.'] }],
    [{ redirect_uri: 'http://a.example\nnot absolute' }, { redirect_uri: ['must be an absolute URI.'] }],
    [{ redirect_uri: 'http://a.example/#x' }, { redirect_uri: ['cannot contain a fragment.'] }],
    [{ redirect_uri: 'javascript:alert(1)' }, { redirect_uri: ['is forbidden by the server.'] }],
    [{ redirect_uri: '' }, { redirect_uri: ["can't be blank"] }],
    [{ name: ' ' }, { name: ["can't be blank"] }],
    [{ name: 'x'.repeat(256) }, { name: ['is too long (maximum is 255 characters)'] }],
    [{ scopes: 'api nonsense' }, { scopes: ["doesn't match configured on the server."] }],
    [{ scopes: ' ' }, { scopes: ["can't be blank"] }],
  ])('are refused with %j', async (more, message) => {
    expect(await server.root.post('/applications', { ...wanted, ...more })).toMatchObject({
      status: 400,
      body: { message },
    })
  })

  test('need a name, an address and scopes', async () => {
    expect((await server.root.post('/applications')).body.error).toBe(
      'name is missing, redirect_uri is missing, scopes is missing',
    )
  })
})

describe('a client', () => {
  test('gets tokens with its scopes, by parameters and by Basic authentication', async () => {
    const app = await create()
    const { body } = await token({ ...byPassword, ...of(app) })
    expect(body.scope).toBe('api')
    expect((await token({ ...byPassword, ...of(app), scope: 'read_api' })).body.error).toBe('invalid_scope')
    const reader = await create({ scopes: 'read_user' })
    expect((await token({ ...byPassword, ...of(reader) })).body.scope).toBe('read_user')
    const basic = Buffer.from(`${app.application_id}:${app.secret}`).toString('base64')
    expect((await token(byPassword, { Authorization: `Basic ${basic}` })).status).toBe(200)
    const info = await server.anonymous.get('root:/oauth/token/info', bearer(body.access_token))
    expect(info.body).toMatchObject({ application: { uid: app.application_id }, resource_owner_id: alice.id })
  })

  test('is refused without its secret, unless it cannot keep one', async () => {
    const app = await create()
    for (const more of [
      { client_id: app.application_id },
      { ...of(app), client_secret: 'wrong' },
      { client_id: 'x' },
    ]) {
      expect(await token({ ...byPassword, ...more })).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    }
    const open = await create({ confidential: false })
    expect((await token({ ...byPassword, client_id: open.application_id })).status).toBe(200)
    expect((await token({ ...byPassword, ...of(open), client_secret: 'wrong' })).status).toBe(401)
  })

  test('refreshes and revokes its own tokens only', async () => {
    const app = await create()
    const other = await create()
    const { body: pair } = await token({ ...byPassword, ...of(app) })
    const refresh = { grant_type: 'refresh_token', refresh_token: pair.refresh_token }
    for (const more of [{}, of(other)]) {
      expect((await token({ ...refresh, ...more })).body.error).toBe('invalid_grant')
      const revoked = await server.anonymous.post('root:/oauth/revoke', { token: pair.access_token, ...more })
      expect([revoked.status, revoked.body]).toEqual([200, {}])
    }
    expect((await server.anonymous.get('/user', bearer(pair.access_token))).status).toBe(200)
    const { body: fresh } = await token({ ...refresh, ...of(app) })
    expect((await server.anonymous.get('/user', bearer(fresh.access_token))).status).toBe(200)
    await server.anonymous.post('root:/oauth/revoke', { token: fresh.access_token, ...of(app) })
    expect((await server.anonymous.get('/user', bearer(fresh.access_token))).status).toBe(401)
  })

  test('loses its tokens when it is deleted, and has no other grants', async () => {
    const app = await create()
    const { body } = await token({ ...byPassword, ...of(app) })
    const ask = (grant_type: string) => token({ grant_type, code: 'x', ...of(app) })
    expect((await ask('client_credentials')).body.error).toBe('unauthorized_client')
    expect((await ask('authorization_code')).body.error).toBe('invalid_grant')
    await server.root.delete(`/applications/${app.id}`)
    expect((await server.anonymous.get('/user', bearer(body.access_token))).status).toBe(401)
  })
})
