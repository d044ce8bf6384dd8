import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { start } from '../testing.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock: manualClock({ start }) })
})
afterAll(() => server.stop())

const missingUser = { status: 404, body: { message: '404 User Not Found' } }
const missingToken = { status: 404, body: { message: '404 Impersonation Token Not Found' } }

describe('an impersonation token', () => {
  test('is shown once, acts as the user, and stops working when it is revoked', async () => {
    const user = await server.user('acted_as')
    const path = `/users/${user.id}/impersonation_tokens`
    const made = await server.root.post(path, { name: 'acting', scopes: ['api'], expires_at: '2026-04-01' })
    expect(made.status).toBe(201)
    expect(Object.entries(made.body)).toEqual([
      ['id', expect.any(Number)],
      ['name', 'acting'],
      ['revoked', false],
      ['created_at', start],
      ['description', null],
      ['scopes', ['api']],
      ['user_id', user.id],
      ['last_used_at', null],
      ['active', true],
      ['expires_at', '2026-04-01'],
      ['impersonation', true],
      ['token', expect.stringMatching(/^glpat-[\w-]{20}$/)],
    ])
    const { token, ...shown } = made.body
    expect(await server.root.get(`${path}/${shown.id}`)).toMatchObject({ status: 200, body: shown })
    expect((await server.root.get(`${path}/${shown.id}`)).body).not.toHaveProperty('token')
    const acting = server.as(token)
    expect((await acting.get('/personal_access_tokens/self')).body).toMatchObject({ id: shown.id, user_id: user.id })
    expect((await acting.get(path)).status).toBe(403)
    expect(await server.root.delete(`${path}/${shown.id}`)).toMatchObject({ status: 204, body: '' })
    expect(await server.root.delete(`${path}/${shown.id}`)).toMatchObject({ status: 204 })
    expect(await acting.get('/personal_access_tokens/self')).toMatchObject({
      status: 401,
      body: { error_description: 'Token was revoked. You have to re-authorize from the user.' },
    })
  })

  test('is listed by its state, newest first, without the tokens of other kinds', async () => {
    const user = await server.user('listed_imp')
    const path = `/users/${user.id}/impersonation_tokens`
    const make = (name: string, expires_at?: string) => server.root.post(path, { name, scopes: ['api'], expires_at })
    await make('live')
    expect((await make('dead', '2026-03-04T23:59:59.123456789+02:00')).body.expires_at).toBe('2026-03-04')
    const revoked = await make('revoked')
    await server.root.delete(`${path}/${revoked.body.id}`)
    const names = async (query: string) =>
      (await server.root.get(`${path}${query}`)).body.map((token: { name: string }) => token.name)
    expect(await names('')).toEqual(['revoked', 'dead', 'live'])
    expect(await names('?state=all')).toEqual(['revoked', 'dead', 'live'])
    expect(await names('?state=active')).toEqual(['live'])
    expect(await names('?state=inactive')).toEqual(['revoked', 'dead'])
    expect(await names('?per_page=1&page=3')).toEqual(['live'])
    expect(await server.root.get(`${path}?state=foo`)).toMatchObject({
      status: 400,
      body: { error: 'state does not have a valid value' },
    })
  })

  test('is validated when it is created', async () => {
    const user = await server.user('ruled_imp')
    const path = `/users/${user.id}/impersonation_tokens`
    const good = { name: 'a', scopes: ['api'] }
    const unavailable = { scopes: ['can only contain available scopes'] }
    const cases: [values: object, message: unknown][] = [
      [{ scopes: ['api'] }, '400 (Bad request) "name" not given'],
      [{ name: 'a' }, { scopes: ["can't be blank"] }],
      [
        { name: ' ', scopes: [] },
        { name: ["can't be blank"], scopes: ["can't be blank"] },
      ],
      [{ ...good, scopes: 'api,nope' }, unavailable],
      [{ ...good, scopes: ['__proto__'] }, unavailable],
      [{ ...good, scopes: ['sudo'] }, unavailable],
      [{ ...good, expires_at: '2027-03-05' }, { expires_at: ['must be before 2027-03-04'] }],
      [{ ...good, expires_at: 'soon' }, { expires_at: ['is invalid'] }],
      [{ ...good, name: 'a\u0000' }, { name: ['is invalid'] }],
      [{ ...good, description: 'x'.repeat(256) }, { description: ['is too long (maximum is 255 characters)'] }],
    ]
    for (const [values, message] of cases) {
      expect(await server.root.post(path, values), JSON.stringify(values)).toMatchObject({
        status: 400,
        body: { message },
      })
    }
    expect((await server.root.get(path)).body).toEqual([])
  })

  test('is found by its user and its id only', async () => {
    const one = await server.user('found_imp')
    const other = await server.user('other_imp')
    const values = { name: 'a', scopes: ['api'] }
    const { id } = (await server.root.post(`/users/${one.id}/impersonation_tokens`, values)).body
    const personal = (await server.root.get(`/personal_access_tokens?user_id=${one.id}`)).body[0].id
    for (const path of [
      `/users/${other.id}/impersonation_tokens/${id}`,
      `/users/${one.id}/impersonation_tokens/${personal}`,
      `/users/${one.id}/impersonation_tokens/999999`,
    ]) {
      expect(await server.root.get(path), path).toMatchObject(missingToken)
      expect(await server.root.delete(path), path).toMatchObject(missingToken)
    }
    expect(await server.root.get('/users/999999/impersonation_tokens')).toMatchObject(missingUser)
    expect(await server.root.post('/users/999999/impersonation_tokens', values)).toMatchObject(missingUser)
    expect(await server.root.delete(`/users/999999/impersonation_tokens/${id}`)).toMatchObject(missingUser)
    expect(await server.root.get('/users/abc/impersonation_tokens')).toMatchObject({
      status: 404,
      body: { error: '404 Not Found' },
    })
  })
})
