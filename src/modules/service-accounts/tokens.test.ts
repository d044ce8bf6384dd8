import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dayAfter } from '../../api/index.ts'
import {
  git,
  httpUrl,
  makeHistory,
  queriesOf,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../testing/index.ts'
import { newAccount, newToken, type PlaceOfAccounts, placeOfAccounts, refused } from './testing.ts'

let server: TestServer
let place: PlaceOfAccounts
let account: Awaited<ReturnType<typeof newAccount>>
let path: string
let made = 0
beforeAll(async () => {
  server = await startTestServer()
})
beforeEach(async () => {
  made += 1
  place = await placeOfAccounts(server, `tokens${made}`)
  account = await newAccount(place)
  path = `${place.accounts}/${account.id}/personal_access_tokens`
})
afterEach(() => {
  const { config } = server.app.platform
  config.serviceAccountsRotateRevokes = 'all'
  config.registryEnabled = true
})
afterAll(() => server.stop())

const day = (days: number) => dayAfter(server.app.platform.clock.now(), days)
const create = (wanted: object) => place.owner.post(path, { name: 'made', scopes: ['api'], ...wanted })
const rotate = (id: number, wanted: object = {}) => place.owner.post(`${path}/${id}/rotate`, wanted)
const settings = (values: object) => server.root.put('/application/settings', values)
const lastDay = (token: { created_at: string }, days: number) => dayAfter(new Date(token.created_at), days)

/** Gives a token the days that it would have later. */
const change = (id: number, values: { expires_at?: string; last_used_at?: string }) =>
  server.app.platform.database.write((tx) => tx.updateTable('access_tokens').set(values).where('id', '=', id).execute())

describe('a new token', () => {
  test('is shown once, acts as the account, and expires as late as it may', async () => {
    const { status, body } = await create({ scopes: ['read_user', 'api'], description: 'for CI' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'made',
      revoked: false,
      created_at: expect.any(String),
      description: 'for CI',
      scopes: ['read_user', 'api'],
      user_id: account.id,
      last_used_at: null,
      active: true,
      expires_at: lastDay(body, 365),
      token: expect.stringMatching(/^glpat-/),
    })
    expect((await server.as(body.token).get('/user')).body).toMatchObject({ id: account.id, bot: true })
    await settings({ max_personal_access_token_lifetime: 30 })
    const shorter = (await create({})).body
    expect(shorter.expires_at).toBe(lastDay(shorter, 30))
    await settings({ max_personal_access_token_lifetime: null, service_access_tokens_expiration_enforced: false })
    expect((await create({})).body.expires_at).toBeNull()
    expect((await create({ expires_at: day(5000) })).status).toBe(201)
    await settings({ service_access_tokens_expiration_enforced: true })
  })

  test.each([
    ['api,read_user', ['api', 'read_user']],
    [['api, read_user'], ['api', 'read_user']],
    ['write_repository', ['write_repository']],
  ])('takes scopes as %j', async (scopes, expected) => {
    expect((await create({ scopes })).body.scopes).toEqual(expected)
  })

  test.each([
    [{ name: undefined, scopes: undefined }, 400, { error: 'name is missing, scopes is missing' }],
    [{ name: undefined }, 400, { error: 'name is missing' }],
    [{ scopes: undefined }, 400, { error: 'scopes is missing' }],
    [{ scopes: ['nope'] }, 400, { error: 'scopes does not have a valid value' }],
    [{ scopes: [] }, 422, { message: "Scopes can't be blank" }],
    [{ scopes: ['sudo'] }, 422, { message: 'Scopes can only contain available scopes' }],
    [{ scopes: ['api', 'admin_mode'] }, 422, { message: 'Scopes can only contain available scopes' }],
    [{ name: ' ' }, 422, { message: "Name can't be blank" }],
    [{ name: 'x'.repeat(256) }, 422, { message: 'Name is too long (maximum is 255 characters)' }],
    [{ description: 'x'.repeat(256) }, 422, { message: 'Description is too long (maximum is 255 characters)' }],
    [{ expires_at: '2020-13-01' }, 400, { error: 'expires_at is invalid' }],
    [{ expires_at: '2020-01-01' }, 422, { message: "Expiration date can't be in the past" }],
  ])('is refused with %j', async (wanted, status, body) => {
    expect(await create(wanted)).toMatchObject({ status, body })
  })

  test('expires at the latest when the instance says so', async () => {
    const before = day(365)
    const { status, body } = await create({ expires_at: day(367) })
    expect([status, body.message]).toEqual([422, expect.stringMatching(/^Expiration date must be before \d{4}-/)])
    expect([before, day(365)]).toContain(body.message.slice(-10))
    expect((await create({ expires_at: before })).status).toBe(201)
  })

  test('has no scope of the registry while there is none', async () => {
    expect((await create({ scopes: ['read_registry'] })).status).toBe(201)
    server.app.platform.config.registryEnabled = false
    const refusal = refused(422, 'Scopes can only contain available scopes')
    for (const scope of ['read_registry', 'write_registry']) {
      expect(await create({ scopes: [scope] })).toMatchObject(refusal)
    }
  })

  test('pushes where its account may', async () => {
    await using folder = await temporaryDirectory()
    await makeHistory(folder.path, ['one'])
    await server.make.member({ project: place.project }, account, 40)
    const { token } = await newToken(server, place, account.id)
    const url = httpUrl(server, { username: account.username, token }, `tokens${made}/demo`)
    expect((await git(folder.path, 'push', url, 'HEAD:refs/heads/main')).code).toBe(0)
  })

  test('answers 403 while its account is blocked', async () => {
    const { client } = await newToken(server, place, account.id)
    await server.root.post(`/users/${account.id}/block`)
    const refusal = refused(403, '403 Forbidden - Your account has been blocked.')
    expect(await client.get('/user')).toMatchObject(refusal)
  })
})

describe('rotating', () => {
  test('replaces the token and revokes the other active ones', async () => {
    const wanted = { scopes: ['api', 'read_user'], description: 'd' }
    const first = await newToken(server, place, account.id, wanted)
    const second = await newToken(server, place, account.id)
    const { status, body } = await rotate(first.id)
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'made', ...wanted, active: true, expires_at: lastDay(body, 7) })
    expect(body.id).not.toBe(first.id)
    for (const { client } of [first, second]) expect((await client.get('/user')).status).toBe(401)
    const revoked = refused(400, '400 Bad request - Token already revoked')
    for (const { id } of [first, second]) expect(await rotate(id)).toMatchObject(revoked)
    expect((await server.as(body.token).get('/user')).status).toBe(200)
  })

  test('leaves the other tokens where the server is configured so', async () => {
    server.app.platform.config.serviceAccountsRotateRevokes = 'addressed'
    const [first, second] = [await newToken(server, place, account.id), await newToken(server, place, account.id)]
    expect((await rotate(first.id, { expires_at: day(30) })).body.expires_at).toBe(day(30))
    expect((await first.client.get('/user')).status).toBe(401)
    expect((await second.client.get('/user')).status).toBe(200)
  })

  test('is possible for an expired token, and succeeds once for concurrent requests', async () => {
    const token = await newToken(server, place, account.id)
    await change(token.id, { expires_at: '2020-01-01' })
    const answers = await Promise.all([rotate(token.id), rotate(token.id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    const { body } = answers.find(({ status }) => status === 200) as { body: { token: string } }
    expect((await server.as(body.token).get('/user')).status).toBe(200)
  })

  test('is refused with a wrong date or token, and the token then stays valid', async () => {
    const { id, client } = await newToken(server, place, account.id)
    expect(await rotate(id, { expires_at: 'soon' })).toMatchObject({ body: { error: 'expires_at is invalid' } })
    const late = await rotate(id, { expires_at: day(367) })
    expect(late.body.message).toMatch(/^400 Bad request - Expiration date must be before \d{4}-\d\d-\d\d$/)
    const past = refused(400, "400 Bad request - Expiration date can't be in the past")
    expect(await rotate(id, { expires_at: '2020-01-01' })).toMatchObject(past)
    expect((await client.get('/user')).status).toBe(200)
    const foreign = await newToken(server, place, (await newAccount(place)).id)
    for (const other of [foreign.id, 99_999_999]) {
      expect(await rotate(other)).toMatchObject(refused(404, '404 Not Found'))
    }
  })
})

describe('the list', () => {
  test('filters and sorts, and never shows the text', async () => {
    const { owner } = place
    const ids: number[] = []
    for (const name of ['beta 100%', 'alpha', 'gamma'])
      ids.push((await newToken(server, place, account.id, { name })).id)
    const [beta = 0, alpha = 0, gamma = 0] = ids
    await change(alpha, { last_used_at: '2026-01-02T00:00:00.000Z' })
    await change(gamma, { expires_at: '2020-05-05' })
    await owner.delete(`${path}/${beta}`)
    const listed = async (query: string) => {
      const { status, body } = await owner.get(`${path}?${query}`)
      expect(status).toBe(200)
      for (const token of body) expect(token).not.toHaveProperty('token')
      return body.map(({ id }: { id: number }) => id)
    }
    for (const query of ['', 'sort=created_at_desc', 'sort=created_desc', 'sort=whatever']) {
      expect(await listed(query)).toEqual([gamma, alpha, beta])
    }
    expect(await listed('sort=name_asc')).toEqual([alpha, beta, gamma])
    expect(await listed('sort=expires_at_asc')).toEqual(
      [gamma, beta, alpha].sort((a, b) => (a === gamma ? -1 : b === gamma ? 1 : a - b)),
    )
    expect((await listed('sort=last_used_at_desc'))[0]).toBe(alpha)
    expect(await listed('state=active')).toEqual([alpha])
    expect(await listed('state=inactive')).toEqual([gamma, beta])
    expect(await listed('revoked=true')).toEqual([beta])
    expect(await listed('revoked=false')).toEqual([gamma, alpha])
    expect(await listed('search=100%25')).toEqual([beta])
    expect(await listed('search=ALPHA')).toEqual([alpha])
    expect(await listed('expires_before=2020-05-05&expires_after=2020-05-05')).toEqual([gamma])
    const moment = '2026-01-02T00:00:00.000Z'
    expect(await listed(`last_used_after=${moment}&last_used_before=${moment}`)).toEqual([alpha])
    expect(await listed('created_after=2999-01-01T00:00:00Z')).toEqual([])
    expect(await listed('created_before=2999-01-01T00:00:00Z&per_page=1')).toEqual([gamma])
    const invalid = await owner.get(`${path}?state=dormant`)
    expect(invalid).toMatchObject({ status: 400, body: { error: 'state does not have a valid value' } })
    expect((await owner.get(`${path}?revoked=maybe`)).body).toMatchObject({ error: 'revoked is invalid' })
  })

  test('takes the same number of queries for any number of tokens', async () => {
    await newToken(server, place, account.id)
    const few = await queriesOf(server, () => place.owner.get(path))
    for (let number = 0; number < 3; number += 1) await newToken(server, place, account.id)
    expect(await queriesOf(server, () => place.owner.get(path))).toBe(few)
  })
})

describe('revoking', () => {
  test('takes effect at once, and again changes nothing', async () => {
    const { id, client } = await newToken(server, place, account.id)
    for (let time = 0; time < 2; time += 1) expect((await place.owner.delete(`${path}/${id}`)).status).toBe(204)
    expect((await client.get('/user')).status).toBe(401)
    const foreign = await newToken(server, place, (await newAccount(place)).id)
    const unknown = refused(404, '404 Personal Access Token Not Found')
    for (const other of [foreign.id, 99_999_999])
      expect(await place.owner.delete(`${path}/${other}`)).toMatchObject(unknown)
    expect((await foreign.client.get('/user')).status).toBe(200)
    expect((await place.owner.delete(`${path}/x`)).body).toMatchObject({ error: 'token_id is invalid' })
  })
})

test('tokens are managed for accounts of this group only, by its owners', async () => {
  const { owner, maintainer, accounts } = place
  const { id } = await newToken(server, place, account.id)
  const below = (userId: number) => [
    ['GET', `${accounts}/${userId}/personal_access_tokens`],
    ['POST', `${accounts}/${userId}/personal_access_tokens`],
    ['POST', `${accounts}/${userId}/personal_access_tokens/${id}/rotate`],
    ['DELETE', `${accounts}/${userId}/personal_access_tokens/${id}`],
  ]
  const elsewhere = await newAccount(await placeOfAccounts(server, `elsewhere${made}`))
  const body = { name: 'n', scopes: ['api'] }
  for (const userId of [elsewhere.id, maintainer.id]) {
    for (const [method = '', address = ''] of below(userId)) {
      const options = method === 'POST' ? { body } : {}
      expect(await owner.request(method, address, options)).toMatchObject(refused(404, '404 User Not Found'))
    }
  }
  for (const [method = '', address = ''] of below(account.id)) {
    expect((await maintainer.request(method, address)).status).toBe(403)
    expect((await server.anonymous.request(method, address)).status).toBe(401)
  }
})
