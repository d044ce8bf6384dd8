import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { hashToken, randomHex } from '../../../infra/secrets/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { updateUser } from '../../users/index.ts'
import { latest, newPersonalToken, start, today } from '../testing.ts'

const clock = manualClock({ start })

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())

const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
const revokedAlready = { status: 400, body: { message: '400 Bad request - Token already revoked' } }

describe('rotating', () => {
  test('revokes the old token; rotating the old token again revokes the whole family', async () => {
    const user = await server.user('rotating')
    const first = await newPersonalToken(server, user.id, {
      scopes: ['read_api', 'read_user'],
      expires_at: '2026-06-01',
    })
    const bystander = await newPersonalToken(server, user.id)
    const rotate = (id: number, body?: object) => server.root.post(`/personal_access_tokens/${id}/rotate`, body)
    const second = await rotate(first.id, { expires_at: '2026-07-01' })
    expect(second).toMatchObject({ status: 200, body: { scopes: ['read_api', 'read_user'], expires_at: '2026-07-01' } })
    expect(second.body.id).not.toBe(first.id)
    expect(await first.client.get('/version')).toMatchObject({
      status: 401,
      body: { error_description: 'Token was revoked. You have to re-authorize from the user.' },
    })
    const third = await rotate(second.body.id)
    expect(third).toMatchObject({ status: 200, body: { expires_at: '2026-03-11' } })
    expect(await rotate(first.id)).toMatchObject(revokedAlready)
    expect((await server.as(third.body.token).get('/personal_access_tokens/self')).status).toBe(401)
    expect((await bystander.client.get('/personal_access_tokens/self')).status).toBe(200)
    expect(await rotate(third.body.id)).toMatchObject(revokedAlready)
  })

  test('of itself by a token that was rotated before revokes the whole family', async () => {
    const paths = ['self', 'id'] as const
    for (const named of paths) {
      const user = await server.user(`reusing_${named}`)
      const first = await newPersonalToken(server, user.id, { scopes: ['self_rotate', 'read_api'] })
      const bystander = await newPersonalToken(server, user.id)
      const path = `/personal_access_tokens/${named === 'self' ? 'self' : first.id}/rotate`
      const second = await first.client.post(path)
      const client = server.as(second.body.token)
      expect((await client.get('/version')).status).toBe(200)
      expect((await first.client.get('/personal_access_tokens/self')).status).toBe(401)
      expect((await client.get('/version')).status).toBe(200)
      expect(await first.client.post(path)).toMatchObject({
        status: 401,
        body: { error_description: 'Token was revoked. You have to re-authorize from the user.' },
      })
      expect((await client.get('/version')).status, named).toBe(401)
      expect((await bystander.client.get('/version')).status).toBe(200)
    }
  })

  test('by an expired or unknown token revokes nothing', async () => {
    const user = await server.user('not_reusing')
    const first = await newPersonalToken(server, user.id, { scopes: ['self_rotate'], expires_at: today })
    const rotated = await newPersonalToken(server, user.id)
    for (const text of [first.token, 'unknown']) {
      expect((await server.as(text).post('/personal_access_tokens/self/rotate')).status).toBe(401)
    }
    const listed = await server.root.get(`/personal_access_tokens?user_id=${user.id}&revoked=true`)
    expect(listed.body).toEqual([])
    expect((await rotated.client.get('/version')).status).toBe(200)
  })

  test('rejects an expiry day that is too late, without changing the token', async () => {
    const user = await server.user('rotating_far')
    const token = await newPersonalToken(server, user.id)
    const path = `/personal_access_tokens/${token.id}/rotate`
    expect(await user.post(path, { expires_at: '2027-03-05' })).toMatchObject({
      status: 400,
      body: { message: `400 Bad request - Expiration date must be before ${latest}` },
    })
    expect(await user.post(path, { expires_at: 'tomorrow' })).toMatchObject({
      status: 400,
      body: { error: 'expires_at is invalid' },
    })
    expect((await token.client.get('/personal_access_tokens/self')).status).toBe(200)
  })

  test('rejects an expired token', async () => {
    const user = await server.user('rotating_dead')
    const token = await newPersonalToken(server, user.id, { expires_at: today })
    expect(await user.post(`/personal_access_tokens/${token.id}/rotate`)).toMatchObject(unauthorized)
    expect(await server.root.post(`/personal_access_tokens/${token.id}/rotate`)).toMatchObject(unauthorized)
  })

  test('concurrently issues one token and revokes the family', async () => {
    const user = await server.user('racing')
    const token = await newPersonalToken(server, user.id)
    const path = `/personal_access_tokens/${token.id}/rotate`
    const answers = await Promise.all([user.post(path), server.root.post(path)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(answers.find(({ status }) => status === 400)).toMatchObject(revokedAlready)
    const active = await server.root.get(`/personal_access_tokens?user_id=${user.id}&state=active`)
    expect(active.body).toMatchObject([{ name: 'test' }])
  })

  test('concurrently with the reuse of an older token leaves no active token', async () => {
    const user = await server.user('racing_family')
    const rotate = (id: number) => server.root.post(`/personal_access_tokens/${id}/rotate`)
    for (let round = 0; round < 10; round += 1) {
      const first = await newPersonalToken(server, user.id)
      const second = await rotate(first.id)
      const [again] = await Promise.all([rotate(first.id), rotate(second.body.id), rotate(second.body.id)])
      expect(again).toMatchObject(revokedAlready)
      const active = await server.root.get(`/personal_access_tokens?user_id=${user.id}&state=active`)
      expect(active.body).toMatchObject([{ name: 'test' }])
    }
  })

  test('is for personal access tokens', async () => {
    const user = await server.user('rotating_impersonated')
    const made = await server.root.post(`/users/${user.id}/impersonation_tokens`, { name: 'a', scopes: ['api'] })
    const answer = await server.as(made.body.token).post('/personal_access_tokens/self/rotate')
    expect(answer).toMatchObject({ status: 405, body: { message: '405 Method Not Allowed' } })
  })

  test('is not possible with an OAuth token of the same id', async () => {
    const user = await server.user('oauth_rotating')
    const token = await newPersonalToken(server, user.id)
    const text = randomHex(32)
    const row = { id: token.id, user_id: user.id, digest: hashToken(text), refresh_digest: hashToken(randomHex(32)) }
    const values = {
      ...row,
      family: 'a',
      scopes: '["self_rotate"]',
      expires_at: '2026-03-05T00:00:00.000Z',
      created_at: start,
    }
    await server.app.platform.database.write((tx) => tx.insertInto('oauth_tokens').values(values).execute())
    const headers = { Authorization: `Bearer ${text}` }
    const path = `/personal_access_tokens/${token.id}/rotate`
    expect(await server.anonymous.post(path, undefined, { headers })).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'api' },
    })
    expect(await token.client.get('/personal_access_tokens/self')).toMatchObject({ status: 200 })
  })

  test('has no maximum lifetime for service accounts that the instance exempts', async () => {
    const account = await server.user('service')
    const person = await server.user('no_service')
    const { database } = server.app.platform
    await database.write((tx) => updateUser(tx, account.id, { bot_kind: 'service_account' }))
    const set = (enforced: boolean) =>
      server.root.put('/application/settings', { service_access_tokens_expiration_enforced: enforced })
    const path = ({ id }: { id: number }) => `/users/${id}/personal_access_tokens`
    const far = { name: 'a', scopes: ['api'], expires_at: '2099-01-01' }
    const tooFar = { status: 422, body: { message: `Expiration date must be before ${latest}` } }
    expect(await server.root.post(path(account), far)).toMatchObject(tooFar)
    await set(false)
    const token = await newPersonalToken(server, account.id)
    expect(token).toMatchObject({ expires_at: null, active: true })
    expect(await server.root.post(path(account), far)).toMatchObject({
      status: 201,
      body: { expires_at: '2099-01-01' },
    })
    const rotated = await server.root.post(`/personal_access_tokens/${token.id}/rotate`, { expires_at: '2099-01-01' })
    expect(rotated).toMatchObject({ status: 200, body: { expires_at: '2099-01-01' } })
    expect(await server.root.post(path(person), far)).toMatchObject(tooFar)
    expect(await newPersonalToken(server, person.id)).toMatchObject({ expires_at: latest })
    await set(true)
  })
})
