import { buildClientSchema, getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { ask, dataOf, problemsOf } from './testing.ts'

let server: TestServer
let anna: Person

beforeAll(async () => {
  server = await startTestServer()
  anna = await server.user('anna')
})
afterAll(() => server?.stop())

const at = 'root:/api/graphql'
const active = '{currentUser{active}}'
const isActive = { data: { currentUser: { active: true } } }

describe('a request', () => {
  test('is answered with data, by POST and by GET', async () => {
    expect(await ask(anna, active)).toEqual(isActive)
    const got = await anna.get(`${at}?query=${encodeURIComponent(active)}`)
    expect([got.status, got.body]).toEqual([200, isActive])
    expect(got.headers.get('content-type')).toBe('application/json')
    expect((await anna.head(`${at}?query=${encodeURIComponent(active)}`)).status).toBe(200)
    expect(await ask(server.anonymous, active)).toEqual({ data: { currentUser: null } })
  })

  test('takes variables as an object and as text, and the name of an operation', async () => {
    const query = 'query one($text: String!) { echo(text: $text) } query two { other: echo(text: "two") }'
    for (const variables of [{ text: 'é💥' }, JSON.stringify({ text: 'é💥' })]) {
      const { body } = await anna.post(at, { query, variables, operationName: 'one' })
      expect(body).toEqual({ data: { echo: 'é💥' } })
    }
    expect((await anna.post(at, { query, operationName: 'two' })).body).toEqual({ data: { other: 'two' } })
    expect((await anna.post(at, { query })).body.errors[0].message).toMatch(/operation name/)
    expect((await anna.post(at, { query, operationName: 'three' })).body.errors[0].message).toMatch(/three/)
    const form = new URLSearchParams({ query: active })
    expect((await anna.post(at, form)).body).toEqual(isActive)
    for (const wrong of ['[1]', '[', 'x', [1], 5]) {
      expect((await anna.post(at, { query: active, variables: wrong })).status).toBe(400)
    }
  })

  test('may be a list, which is answered by a list', async () => {
    const several = [{ query: active }, { query: '{nope}' }, {}]
    const { status, body } = await anna.post(at, several)
    expect([status, body.length]).toEqual([200, 3])
    expect(body[0]).toEqual(isActive)
    expect(body[1].errors[0].message).toMatch(/nope/)
    expect(body[2].errors[0].message).toBe('Unexpected end of document')
    expect((await anna.post(at, [])).body).toEqual([])
    expect(
      (
        await anna.post(
          at,
          Array.from({ length: 11 }, () => ({ query: active })),
        )
      ).status,
    ).toBe(400)
    expect((await anna.post(at, [active])).status).toBe(400)
    expect((await anna.post('/projects', [1])).status).toBe(400)
  })

  test('without a query, or with one that is none', async () => {
    const ended = { errors: [{ message: 'Unexpected end of document', locations: [] }] }
    for (const body of [{}, { query: '' }, { query: ' \n' }, null]) {
      expect((await anna.post(at, body)).body).toEqual(ended)
    }
    expect((await anna.get(at)).body).toEqual(ended)
    const syntax = await ask(anna, '{')
    expect(syntax).toEqual({
      errors: [{ message: expect.stringMatching(/^Syntax Error/), locations: [expect.anything()] }],
    })
    const malformed = await anna.post(at, '{"query"', { headers: { 'Content-Type': 'application/json' } })
    expect([malformed.status, malformed.body.error]).toEqual([400, 'message body does not match declared format'])
    expect((await anna.post(at, 'x', { headers: { 'Content-Type': 'text/plain' } })).status).toBe(415)
    for (const query of [{ a: 1 }, [active]]) expect((await anna.post(at, { query })).status).toBe(400)
  })

  test('changes nothing: there are no mutations and no subscriptions', async () => {
    for (const query of ['mutation { echo(text: "x") }', 'subscription { echo(text: "x") }']) {
      const { data, errors } = await ask(anna, query)
      expect([data, errors?.length]).toEqual([undefined, 1])
    }
  })

  test('names what it does not know, without data', async () => {
    const { data, errors } = await ask(anna, '{ currentUser { password } }')
    expect([data, errors]).toEqual([
      undefined,
      [{ message: 'Cannot query field "password" on type "CurrentUser".', locations: [{ line: 1, column: 17 }] }],
    ])
    expect(await problemsOf(anna, '{ user(id: 1, x: 2) { name } }')).toEqual([
      expect.stringMatching(/Unknown argument "x"/),
    ])
    expect(await problemsOf(anna, 'query($x: Nope) { echo(text: "a") }')).toContainEqual(
      expect.stringMatching(/Unknown type "Nope"/),
    )
    expect(await problemsOf(anna, '{ echo(text: "a") @nope }')).toEqual([expect.stringMatching(/Unknown directive/)])
  })

  test('knows the directives of the language', async () => {
    const query =
      'query($no: Boolean!) { a: echo(text: "a") @skip(if: true) b: echo(text: "b") @include(if: $no) c: echo(text: "c") }'
    expect(await dataOf(anna, query, { no: false })).toEqual({ c: 'c' })
  })
})

describe('a client', () => {
  test('of pages of any origin may ask', async () => {
    const headers = { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'POST' }
    const { status, headers: answered } = await server.anonymous.request('OPTIONS', at, { headers })
    expect([status, answered.get('access-control-allow-origin')]).toEqual([200, '*'])
  })

  test('may write the address with a slash at the end, as glab does', async () => {
    expect((await anna.post(`${at}/`, { query: active, variables: {} })).body).toEqual(isActive)
  })

  test('asks for the caller as the Terraform provider does', async () => {
    const query = 'query {currentUser {name, bot, groupCount, id, namespace{id}, publicEmail, username}}'
    const namespace = (await anna.get('/namespaces/anna')).body.id
    expect(await dataOf(anna, query)).toEqual({
      currentUser: {
        ...{ name: 'anna person', bot: false, groupCount: 0, id: `gid://gitlab/User/${anna.id}`, publicEmail: null },
        ...{ namespace: { id: `gid://gitlab/Namespaces::UserNamespace/${namespace}` }, username: 'anna' },
      },
    })
  })

  test('pages with a variable, as glab does', async () => {
    const query =
      'query($endCursor: String) {users(first: 1, after: $endCursor) {nodes{username} pageInfo{endCursor hasNextPage}}}'
    const names: string[] = []
    for (let endCursor: string | null = null; ; ) {
      const { users } = await dataOf(anna, query, { endCursor })
      names.push(users.nodes[0].username)
      if (!users.pageInfo.hasNextPage) break
      endCursor = users.pageInfo.endCursor
    }
    expect(names.at(-1)).toBe('root')
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('credentials', () => {
  const asked = (headers: Record<string, string>, query = '') =>
    server.anonymous.request('POST', `${at}${query}`, { headers, body: { query: active } })

  test.each([
    ['Authorization', (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })],
    ['PRIVATE-TOKEN', (token: string) => ({ headers: { 'PRIVATE-TOKEN': token } })],
    ['private_token', (token: string) => ({ query: `?private_token=${token}` })],
    ['access_token', (token: string) => ({ query: `?access_token=${token}` })],
  ])('are taken from %s', async (_, sent: (token: string) => { headers?: Record<string, string>; query?: string }) => {
    const { headers = {}, query = '' } = sent(anna.token)
    expect((await asked(headers, query)).body).toEqual(isActive)
    const wrong = sent('nope')
    const refused = await asked(wrong.headers ?? {}, wrong.query)
    expect([refused.status, refused.body]).toEqual([401, { errors: [{ message: 'Invalid token' }] }])
  })

  test('need a scope for reading', async () => {
    const reader = await server.user('reader', ['read_api'])
    expect(await ask(reader, active)).toEqual(isActive)
    for (const scope of ['read_user', 'read_repository', 'write_repository']) {
      const other = await server.user(`with-${scope.replace('_', '-')}`, [scope])
      const { status, body } = await other.post(at, { query: active })
      expect([scope, status, body]).toEqual([scope, 401, { errors: [{ message: 'Invalid token' }] }])
    }
  })

  test('that have been revoked are none', async () => {
    const gone = await server.user('gone')
    expect(await ask(gone, active)).toEqual(isActive)
    expect((await gone.delete('/personal_access_tokens/self')).status).toBe(204)
    const { status, body } = await gone.post(at, { query: active })
    expect([status, body]).toEqual([401, { errors: [{ message: 'Invalid token' }] }])
  })

  test('of jobs are not accepted', async () => {
    expect((await asked({ 'JOB-TOKEN': 'glcbt-nope' })).status).toBe(401)
  })

  test('of an administrator act as another user', async () => {
    const body = { query: '{currentUser{username}}' }
    const { body: answer } = await server.root.post(at, body, { headers: { Sudo: 'anna' } })
    expect(answer).toEqual({ data: { currentUser: { username: 'anna' } } })
    expect((await anna.post(at, body, { headers: { Sudo: 'root' } })).status).toBe(403)
  })

  test('are counted by the throttle of the API', async () => {
    await server.root.put('/application/settings', {
      ...{ throttle_authenticated_api_enabled: true, throttle_authenticated_api_requests_per_period: 1 },
      throttle_authenticated_api_period_in_seconds: 60,
    })
    const statuses = [await anna.post(at, { query: active }), await anna.post(at, { query: active })].map(
      ({ status }) => status,
    )
    await server.root.put('/application/settings', { throttle_authenticated_api_enabled: false })
    expect(statuses).toEqual([200, 429])
  })
})

describe('the bounds of a query', () => {
  const scoreOf = async (client: Client, query: string, variables?: object) =>
    (await dataOf(client, query, variables)).queryComplexity

  test('the complexity counts fields, those below a list for each 20 objects', async () => {
    expect(await scoreOf(anna, '{queryComplexity{score limit}}')).toEqual({ score: 3, limit: 250 })
    expect(await scoreOf(server.anonymous, '{queryComplexity{score limit}}')).toEqual({ score: 3, limit: 200 })
    const of = async (list: string, variables?: object) =>
      (await scoreOf(anna, `query${variables ? '($n: Int)' : ''} {${list} queryComplexity{score}}`, variables)).score -
      2
    expect(await of('projects(first: 20) {nodes{name}}')).toBe(3)
    expect(await of('projects(first: 21) {nodes{name}}')).toBe(5)
    expect(await of('projects {nodes{name}}')).toBe(11)
    expect(await of('projects(first: 5000) {nodes{name}}')).toBe(11)
    expect(await of('projects(first: $n) {nodes{name}}', { n: 40 })).toBe(5)
    expect(await of('projects(first: $n) {nodes{name}}', { n: null })).toBe(11)
    expect(await of('projects(first: 40) {nodes{labels(first: 40){count}}}')).toBe(1 + 2 * (2 + 2))
    expect(
      await of(
        'projects(first: 40) {...on ProjectConnection{nodes{...of}}}} fragment of on Project {name path} query x {echo(text: "")',
      ).catch(() => 'two'),
    ).toBe('two')
    expect(await of('__schema{types{name}} __typename')).toBe(0)
  })

  test('more complex and deeper queries are refused', async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, index) => `a${index}: echo(text: "")`).join(' ')
    expect(await problemsOf(anna, `{${fields(250)}}`)).toEqual([])
    expect(await ask(anna, `{${fields(251)}}`)).toEqual({
      errors: [{ message: 'Query has complexity of 251, which exceeds max complexity of 250' }],
    })
    expect(await problemsOf(server.anonymous, `{${fields(201)}}`)).toEqual([
      'Query has complexity of 201, which exceeds max complexity of 200',
    ])
    const deep = (levels: number) =>
      `{group(fullPath: "g") ${'{parent'.repeat(levels - 2)}{name}${'}'.repeat(levels - 2)}}`
    expect(await problemsOf(anna, deep(20))).toEqual([])
    expect(await problemsOf(anna, deep(21))).toEqual(['Query has depth of 21, which exceeds max depth of 20'])
  })

  test('a long query is too large', async () => {
    const long = (length: number) => `{echo(text: "${'x'.repeat(length - 16)}")}`
    expect(await problemsOf(anna, long(10_000))).toEqual([])
    expect(await ask(anna, long(10_001))).toEqual({ errors: [{ message: 'Query too large' }] })
  })

  test('the query for the whole schema is within the bounds', async () => {
    for (const client of [anna, server.anonymous]) {
      const schema = buildClientSchema(await dataOf(client, getIntrospectionQuery()))
      expect(schema.getQueryType()?.getFields()).toHaveProperty('currentUser')
      expect(schema.getMutationType() ?? null).toBeNull()
    }
  })
})

/** A query that grows when its fragments are put in. */
const bomb = (count: number) =>
  `{...f0} ${Array.from({ length: count }, (_, at) => `fragment f${at} on Query {...f${at + 1} x${at}: queryComplexity{...g} ...f${at + 1}}`).join(' ')} fragment f${count} on Query {echo(text: "")} fragment g on QueryComplexity {score}`

describe('a hostile query', () => {
  test.each<[name: string, query: string, message: RegExp]>([
    ['doubles in fragments', bomb(60), /^Query has complexity of 1000000000, which/],
    [
      'has fragments in a circle',
      '{...a} fragment a on Query {...b} fragment b on Query {...a}',
      /Cannot spread fragment "a" within itself/,
    ],
    ['repeats a field', `{${'echo(text: "") '.repeat(600)}}`, /complexity of 600/],
    ['is nested in lists', `{users(ids: ${'['.repeat(9_000)}`, /Syntax Error|nested too deeply/],
    ['is nested in braces', '{a'.repeat(4_900), /Syntax Error|nested too deeply/],
    ['is nested in fragments', `{${'...{'.repeat(1_900)}echo(text: "")${'}'.repeat(1_900)}}`, /./],
    [
      'multiplies the schema',
      `{__schema{types{${Array.from({ length: 50 }, (_, at) => `a${at}: fields{name}`).join(' ')}}}}`,
      /aliases/,
    ],
    ['repeats the schema', `{${'__schema{types{name fields{name type{name}}}} '.repeat(190)}}`, /introspection/],
    ['nests the schema', `{__schema{types{${'fields{type{'.repeat(9)}name${'}}'.repeat(9)}}}}`, /introspection depth/i],
    [
      'has many unknown fields',
      `{${Array.from({ length: 240 }, (_, at) => `x${at}`).join(' ')}}`,
      /Cannot query field/,
    ],
    ['has many directives', `{echo(text: "") ${'@skip(if: false) '.repeat(500)}}`, /can only be used once/],
    [
      'multiplies lists',
      '{groups{nodes{descendantGroups{nodes{descendantGroups{nodes{projects{nodes{name}}}}}}}}}',
      /complexity of/,
    ],
  ])('that %s is refused', async (_, query, message) => {
    expect(query.length).toBeLessThanOrEqual(10_000)
    const { errors } = await ask(anna, query)
    if (_ === 'is nested in fragments') return expect(errors).toBeUndefined()
    expect(errors?.[0]?.message).toMatch(message)
  })

  test('has odd values', async () => {
    const query =
      'query($v: ID!) { project(fullPath: $v) { id } group(fullPath: $v) { id } namespace(fullPath: $v) { id } }'
    const none = { data: { project: null, group: null, namespace: null } }
    for (const v of ['', '1', '..', 'a/../b', 'a%2Fb', '%', '💥', `${'x/'.repeat(500)}x`, '__proto__', "';--"]) {
      expect([v, await ask(anna, query, { v })]).toEqual([v, none])
    }
    for (const v of ['a\u0000b', '\ud800']) {
      const { data } = await ask(anna, query, { v })
      expect(data).toEqual(none.data)
    }
    expect(await problemsOf(anna, query, { v: { a: 1 } })).toHaveLength(1)
    expect(await problemsOf(anna, query, {})).toHaveLength(1)
    expect(await problemsOf(anna, '{user(id: "gid://gitlab/Project/1") {name}}')).toEqual([
      '"gid://gitlab/Project/1" does not represent an instance of User',
    ])
    for (const id of ['1', 'gid://gitlab/User/', `gid://gitlab/User/${'9'.repeat(30)}`, 'gid://gitlab/User/-1', '💥']) {
      expect(await problemsOf(anna, 'query($id: UserID) { user(id: $id) { name } }', { id })).toHaveLength(1)
    }
    for (const page of [
      'first: -1',
      'last: -1',
      'first: 1, last: 1',
      'after: "x"',
      'after: "e30"',
      'first: 1, after: "eyJhdCI6LTF9"',
    ]) {
      expect([page, await problemsOf(anna, `{users(${page}) {count nodes{name}}}`)]).toEqual([
        page,
        [expect.any(String)],
      ])
    }
    expect(await problemsOf(anna, '{users(first: 99999999999) {count}}')).toHaveLength(1)
  })
})
