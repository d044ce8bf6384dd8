import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { latest, newPersonalToken, start, today } from '../testing.ts'

const clock = manualClock({ start })

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ clock })
})
afterAll(() => server.stop())

const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const routeMissing = { status: 404, body: { error: '404 Not Found', message: '404 Not Found' } }
const lacksScope = (scope: string) => ({ status: 403, body: { error: 'insufficient_scope', scope } })

describe('creating a token for a user', () => {
  test('returns the token once, with the fields in the order of the contract', async () => {
    const user = await server.user('made_for')
    const answer = await server.root.post(`/users/${user.id}/personal_access_tokens`, {
      name: 'Ünï ☃',
      description: 'for a machine',
      scopes: 'read_api, read_user,read_api',
    })
    expect(answer).toMatchObject({ status: 201 })
    expect(Object.entries(answer.body)).toEqual([
      ['id', expect.any(Number)],
      ['name', 'Ünï ☃'],
      ['revoked', false],
      ['created_at', start],
      ['description', 'for a machine'],
      ['scopes', ['read_api', 'read_user']],
      ['user_id', user.id],
      ['last_used_at', null],
      ['active', true],
      ['expires_at', latest],
      ['token', expect.stringMatching(/^glpat-[\w-]{20}$/)],
    ])
    const { token, ...shown } = answer.body
    expect((await server.as(token).get('/personal_access_tokens/self')).body).toEqual({
      ...shown,
      last_used_at: start,
    })
    expect((await server.root.get(`/personal_access_tokens/${shown.id}`)).body).not.toHaveProperty('token')
  })

  test('uses the present settings for prefix and lifetime', async () => {
    const user = await server.user('by_settings')
    const path = `/users/${user.id}/personal_access_tokens`
    const settings = (values: object) => server.root.put('/application/settings', values)
    await settings({ personal_access_token_prefix: 'acme_', max_personal_access_token_lifetime: 30 })
    const made = await server.root.post(path, { name: 'a', scopes: ['api'] })
    expect(made.body).toMatchObject({ expires_at: '2026-04-03', token: expect.stringMatching(/^acme_[\w-]{20}$/) })
    expect(await server.root.post(path, { name: 'a', scopes: ['api'], expires_at: '2026-04-04' })).toMatchObject({
      status: 422,
      body: { message: 'Expiration date must be before 2026-04-03' },
    })
    await settings({ max_personal_access_token_lifetime: 3 })
    const rotated = await server.as(made.body.token).post('/personal_access_tokens/self/rotate')
    expect(rotated).toMatchObject({ status: 200, body: { expires_at: '2026-03-07' } })
    await settings({ max_personal_access_token_lifetime: null, require_personal_access_token_expiry: false })
    const eternal = await server.root.post(path, { name: 'a', scopes: ['api'] })
    expect(eternal.body).toMatchObject({ expires_at: null, active: true })
    await settings({ personal_access_token_prefix: 'glpat-', require_personal_access_token_expiry: true })
  })

  test('rejects what the contract rejects', async () => {
    const user = await server.user('refused')
    const path = `/users/${user.id}/personal_access_tokens`
    const good = { name: 'a', scopes: ['api'] }
    const cases: [values: object, status: number, body: object][] = [
      [{ scopes: ['api'] }, 400, { error: 'name is missing', message: '400 (Bad request) "name" not given' }],
      [
        {},
        400,
        { error: 'name is missing, scopes is missing', message: '400 (Bad request) "name", "scopes" not given' },
      ],
      [
        { ...good, scopes: ['api', 'nope'] },
        400,
        { error: 'scopes does not have a valid value', message: { scopes: ['does not have a valid value'] } },
      ],
      [{ ...good, scopes: [] }, 422, { message: "Scopes can't be blank" }],
      [{ ...good, scopes: '' }, 422, { message: "Scopes can't be blank" }],
      [{ ...good, name: ' ' }, 422, { message: "Name can't be blank" }],
      [{ name: '', scopes: [] }, 422, { message: "Name can't be blank and Scopes can't be blank" }],
      [{ ...good, name: 'é'.repeat(256) }, 422, { message: 'Name is too long (maximum is 255 characters)' }],
      [{ ...good, expires_at: '2027-03-05' }, 422, { message: `Expiration date must be before ${latest}` }],
      [{ ...good, expires_at: '2026-02-30' }, 400, { error: 'expires_at is invalid' }],
      [{ ...good, scopes: ['sudo'] }, 400, { message: { scopes: ['can only contain available scopes'] } }],
      [{ ...good, scopes: ['api', 'admin_mode'] }, 400, { message: { scopes: ['can only contain available scopes'] } }],
      [{ ...good, name: { a: 1 } }, 400, { error: 'name is invalid' }],
      [{ ...good, name: 'a\u0000b' }, 400, { error: 'name is invalid' }],
      [{ ...good, scopes: [{}] }, 400, { error: 'scopes[0] is invalid' }],
      [{ ...good, scopes: { a: 'api' } }, 400, { error: 'scopes is invalid' }],
    ]
    for (const [values, status, body] of cases) {
      expect(await server.root.post(path, values), JSON.stringify(values)).toMatchObject({ status, body })
    }
    expect((await user.get('/personal_access_tokens')).body).toHaveLength(1)
  })

  test('accepts the latest expiry day, and all scopes for administrators', async () => {
    const made = await server.root.post('/users/1/personal_access_tokens', {
      name: 'a'.repeat(255),
      scopes: ['sudo', 'admin_mode'],
      expires_at: latest,
    })
    expect(made).toMatchObject({ status: 201, body: { scopes: ['sudo', 'admin_mode'], expires_at: latest } })
  })

  test('is for administrators, and answers 404 for unknown users', async () => {
    const user = await server.user('no_admin')
    const values = { name: 'a', scopes: ['api'] }
    const path = `/users/${user.id}/personal_access_tokens`
    expect(await user.post(path, values)).toMatchObject(forbidden)
    expect(await server.anonymous.post(path, values)).toMatchObject(unauthorized)
    const missing = { status: 404, body: { message: '404 User Not Found' } }
    expect(await server.root.post('/users/999999/personal_access_tokens', values)).toMatchObject(missing)
    expect(await server.root.post('/users/9007199254740993/personal_access_tokens', values)).toMatchObject(missing)
    expect(await server.root.post('/users/root%2Fx/personal_access_tokens', values)).toMatchObject(routeMissing)
    const reader = server.as(await server.make.token({ id: 1 }, ['read_api']))
    expect(await reader.post(path, values)).toMatchObject(lacksScope('api'))
  })
})

describe('the list of personal access tokens', () => {
  test('shows users their own tokens, and administrators the tokens of all users', async () => {
    const one = await server.user('lister')
    const other = await server.user('other_lister')
    const own = await newPersonalToken(server, one.id, { name: 'mine' })
    await server.root.post(`/users/${one.id}/impersonation_tokens`, { name: 'hidden', scopes: ['api'] })
    const names = (await one.get('/personal_access_tokens')).body.map((token: { name: string }) => token.name)
    expect(names).toEqual(['mine', 'test'])
    expect(await one.get(`/personal_access_tokens?user_id=${one.id}`)).toMatchObject({ status: 200 })
    expect(await one.get(`/personal_access_tokens?user_id=${other.id}`)).toMatchObject(unauthorized)
    const all = await server.root.get(`/personal_access_tokens?user_id=${one.id}`)
    expect(all.body[0]).toMatchObject({ id: own.id, user_id: one.id })
    expect(all.body).toHaveLength(2)
    expect((await server.root.get('/personal_access_tokens')).body.length).toBeGreaterThan(3)
    expect((await server.root.get('/personal_access_tokens?user_id=9223372036854775807')).body).toEqual([])
    expect(await server.anonymous.get('/personal_access_tokens')).toMatchObject(unauthorized)
  })

  test('is filtered and ordered by its parameters', async () => {
    const user = await server.user('filtering')
    const path = `/personal_access_tokens?user_id=${user.id}`
    const list = async (query: string) =>
      (await server.root.get(`${path}&${query}`)).body.map((token: { name: string }) => token.name)
    await newPersonalToken(server, user.id, { name: 'Alpha_1', expires_at: '2026-03-10' })
    const used = await newPersonalToken(server, user.id, { name: 'beta%', expires_at: '2026-03-20' })
    await used.client.get('/personal_access_tokens/self')
    const gone = await newPersonalToken(server, user.id, { name: 'gamma', expires_at: '2026-03-15' })
    await gone.client.delete('/personal_access_tokens/self')
    await newPersonalToken(server, user.id, { name: 'dead', expires_at: today })
    const cases: [query: string, names: string[]][] = [
      ['', ['dead', 'gamma', 'beta%', 'Alpha_1', 'test']],
      ['state=active', ['beta%', 'Alpha_1', 'test']],
      ['state=inactive', ['dead', 'gamma']],
      ['revoked=true', ['gamma']],
      ['revoked=false', ['dead', 'beta%', 'Alpha_1', 'test']],
      ['search=A_', ['Alpha_1']],
      ['search=%25', ['beta%']],
      ['search=', ['dead', 'gamma', 'beta%', 'Alpha_1', 'test']],
      ['expires_after=2026-03-15', ['gamma', 'beta%']],
      ['expires_before=2026-03-10', ['dead', 'Alpha_1']],
      [`created_after=${start}`, ['dead', 'gamma', 'beta%', 'Alpha_1', 'test']],
      ['created_before=2026-03-04T05:06:07Z', []],
      ['last_used_after=2026-03-01', ['gamma', 'beta%']],
      ['last_used_before=2026-03-01', []],
      ['sort=name_desc', ['test', 'gamma', 'dead', 'beta%', 'Alpha_1']],
      ['sort=expires_asc', ['dead', 'Alpha_1', 'gamma', 'beta%', 'test']],
      ['sort=expires_desc', ['beta%', 'gamma', 'Alpha_1', 'dead', 'test']],
      ['sort=created_asc', ['test', 'Alpha_1', 'beta%', 'gamma', 'dead']],
      ['sort=last_used_desc', ['gamma', 'beta%', 'dead', 'Alpha_1', 'test']],
      ['per_page=2&page=2', ['beta%', 'Alpha_1']],
    ]
    for (const [query, names] of cases) expect(await list(query), query).toEqual(names)
    const paged = await server.root.get(`${path}&per_page=2`)
    expect(paged.headers.get('x-total')).toBe('5')
    expect(paged.headers.get('x-next-page')).toBe('2')
  })

  test('has of all users the tokens that each filter admits, in each order', async () => {
    const { id: userId } = await server.user('many_tokens')
    const moment = (hour: number) => `2026-03-01T0${hour}:00:00.000Z`
    const rows = Array.from({ length: 40 }, (_, index) => ({
      kind: index % 7 === 3 ? ('impersonation' as const) : ('personal' as const),
      user_id: index % 2 === 0 ? userId : 1,
      name: `listed ${index % 9}`,
      digest: `digest ${index}`,
      scopes: '[]',
      expires_at: index % 3 === 0 ? null : `2026-03-0${1 + (index % 8)}`,
      last_used_at: index % 4 === 1 ? null : moment(index % 5),
      created_at: moment((index * 7) % 6),
    }))
    const { read, write } = server.app.platform.database
    await write((tx) => tx.insertInto('access_tokens').values(rows).execute())
    type Listed = { id: number; name: string } & Record<'created_at' | 'expires_at' | 'last_used_at', string | null>
    const all: Listed[] = (await read.selectFrom('access_tokens').selectAll().execute()).filter(
      ({ kind }) => kind === 'personal' || kind === 'service_account',
    )
    const orders = { created: 'created_at', expires: 'expires_at', last_used: 'last_used_at', name: 'name' } as const
    const inOrder = (sort: string) => (left: Listed, right: Listed) => {
      const direction = sort.endsWith('asc') ? 1 : -1
      const column = orders[sort.replace(/_(asc|desc)$/, '') as keyof typeof orders]
      const [a, b] = [left[column] ?? '\u{10ffff}', right[column] ?? '\u{10ffff}']
      if ((left[column] === null) !== (right[column] === null)) return left[column] === null ? 1 : -1
      return a === b ? direction * (left.id - right.id) : a < b ? -direction : direction
    }
    const filters: [string, (token: Listed) => boolean][] = [
      ['', () => true],
      ['search=TED+5', ({ name }) => name.toLowerCase().includes('ted 5')],
      [`created_before=${moment(3)}`, ({ created_at: at }) => at !== null && at <= moment(3)],
      [`last_used_before=${moment(2)}`, ({ last_used_at: at }) => at !== null && at <= moment(2)],
      [`last_used_after=${moment(3)}`, ({ last_used_at: at }) => at !== null && at >= moment(3)],
      ['expires_before=2026-03-04', ({ expires_at: at }) => at !== null && at <= '2026-03-04'],
    ]
    for (const [query, admits] of filters) {
      for (const sort of ['', ...Object.keys(orders).flatMap((order) => [`${order}_asc`, `${order}_desc`])]) {
        const expected = all.filter(admits).sort(sort ? inOrder(sort) : (left, right) => right.id - left.id)
        const path = `/personal_access_tokens?per_page=100&${query}${sort && `&sort=${sort}`}`
        const { body } = await server.root.get(path)
        expect([path, body.map(({ id }: Listed) => id)]).toEqual([path, expected.map(({ id }) => id)])
      }
    }
  })

  test('rejects invalid parameters', async () => {
    for (const name of ['state', 'sort']) {
      expect(await server.root.get(`/personal_access_tokens?${name}=foo`)).toMatchObject({
        status: 400,
        body: { error: `${name} does not have a valid value` },
      })
    }
    for (const query of [
      'revoked=maybe',
      'created_after=soon',
      'expires_before=2026-13-01',
      'user_id=root',
      'page=x',
    ]) {
      const name = query.split('=')[0]
      expect(await server.root.get(`/personal_access_tokens?${query}`), query).toMatchObject({
        status: 400,
        body: { error: `${name} is invalid` },
      })
    }
    expect(await server.root.get('/personal_access_tokens?search=%00')).toMatchObject({ status: 400 })
  })

  test('runs the same number of queries for twenty rows as for two', async () => {
    const user = await server.user('counted')
    const cost = () => queriesOf(server, () => user.get('/personal_access_tokens'))
    await newPersonalToken(server, user.id)
    const few = await cost()
    for (let count = 0; count < 18; count += 1) await newPersonalToken(server, user.id)
    expect(await cost()).toBe(few)
  })
})

describe('a personal access token', () => {
  test('is visible to its owner and to administrators; other callers cannot tell whether it exists', async () => {
    const owner = await server.user('one_owner')
    const other = await server.user('one_other')
    const token = await newPersonalToken(server, owner.id)
    const path = `/personal_access_tokens/${token.id}`
    expect(await owner.get(path)).toMatchObject({ status: 200, body: { id: token.id, user_id: owner.id } })
    expect(await server.root.get(path)).toMatchObject({ status: 200, body: { id: token.id } })
    for (const id of [String(token.id), '999999', '9007199254740993']) {
      for (const [method, suffix] of [
        ['GET', ''],
        ['DELETE', ''],
        ['POST', '/rotate'],
      ] as const) {
        const answer = await other.request(method, `/personal_access_tokens/${id}${suffix}`)
        expect(answer, `${method} ${id}`).toMatchObject(unauthorized)
      }
    }
    const missing = { status: 404, body: { message: '404 Not Found' } }
    expect(await server.root.get('/personal_access_tokens/999999')).toMatchObject(missing)
    expect(await server.root.delete('/personal_access_tokens/999999')).toMatchObject(missing)
    expect(await server.root.post('/personal_access_tokens/999999/rotate')).toMatchObject(missing)
    expect(await server.root.get('/personal_access_tokens/abc')).toMatchObject(routeMissing)
    expect(await server.root.delete('/personal_access_tokens/1%2F2')).toMatchObject(routeMissing)
    expect(await server.anonymous.get(path)).toMatchObject(unauthorized)
  })

  test('is revoked by its owner, repeatedly without an error', async () => {
    const owner = await server.user('revoker')
    const token = await newPersonalToken(server, owner.id)
    const path = `/personal_access_tokens/${token.id}`
    const stale = { headers: { 'If-Unmodified-Since': 'Tue, 04 Mar 2025 05:06:07 GMT' } }
    expect(await owner.delete(path, stale)).toMatchObject({ status: 412 })
    expect((await token.client.get('/personal_access_tokens/self')).status).toBe(200)
    expect(await owner.delete(path)).toMatchObject({ status: 204, body: '' })
    expect(await owner.delete(path)).toMatchObject({ status: 204 })
    expect((await owner.get(path)).body).toMatchObject({ revoked: true, active: false })
    expect(await token.client.get('/personal_access_tokens/self')).toMatchObject({
      status: 401,
      body: { error: 'invalid_token' },
    })
  })

  test('is not found when it is an impersonation token', async () => {
    const user = await server.user('impersonated_one')
    const made = await server.root.post(`/users/${user.id}/impersonation_tokens`, { name: 'a', scopes: ['api'] })
    const path = `/personal_access_tokens/${made.body.id}`
    expect((await server.root.get(path)).status).toBe(404)
    expect((await server.root.delete(path)).status).toBe(404)
    expect(await user.post(`${path}/rotate`)).toMatchObject(unauthorized)
  })
})

describe('the token of the request', () => {
  test('may read and revoke itself with any scope', async () => {
    const user = await server.user('selfish')
    const token = await newPersonalToken(server, user.id, { scopes: ['read_registry'] })
    const self = '/personal_access_tokens/self'
    expect(await token.client.get(self)).toMatchObject({ status: 200, body: { id: token.id } })
    expect(await token.client.get('/personal_access_tokens')).toMatchObject(lacksScope('api read_api'))
    expect(await token.client.post(`${self}/rotate`)).toMatchObject(lacksScope('api self_rotate'))
    expect(await token.client.delete(self)).toMatchObject({ status: 204 })
    expect(await token.client.get(self)).toMatchObject({ status: 401 })
    expect(await server.anonymous.get(self)).toMatchObject(unauthorized)
    expect(await server.anonymous.delete(self)).toMatchObject(unauthorized)
  })

  test('is the administrator’s own token under sudo', async () => {
    const user = await server.user('sudo_target')
    const headers = { Sudo: user.username }
    const answer = await server.root.get('/personal_access_tokens/self', { headers })
    expect(answer).toMatchObject({ status: 200, body: { user_id: 1, name: 'default' } })
    const list = await server.root.get('/personal_access_tokens', { headers })
    expect(list.body).toMatchObject([{ user_id: user.id }])
  })

  test('rotates itself, and no other token, with the scope self_rotate', async () => {
    const user = await server.user('self_rotating')
    const token = await newPersonalToken(server, user.id, { scopes: ['self_rotate'], description: 'kept' })
    const other = await newPersonalToken(server, user.id)
    expect(await token.client.post(`/personal_access_tokens/${other.id}/rotate`)).toMatchObject(lacksScope('api'))
    const rotated = await token.client.post('/personal_access_tokens/self/rotate')
    expect(rotated).toMatchObject({
      status: 200,
      body: { name: 'made', description: 'kept', scopes: ['self_rotate'], expires_at: '2026-03-11', active: true },
    })
    expect((await token.client.get('/personal_access_tokens/self')).status).toBe(401)
    const again = await server.as(rotated.body.token).post(`/personal_access_tokens/${rotated.body.id}/rotate`)
    expect(again).toMatchObject({ status: 200, body: { user_id: user.id } })
  })
})
