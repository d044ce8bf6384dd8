import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makePeople, type People, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { type ProjectWithAlerts, projectWithAlerts } from '../testing.ts'

let server: TestServer
let people: People
let place: ProjectWithAlerts

beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())

beforeEach(async () => {
  place = await projectWithAlerts(server, people)
})

const post = (body: unknown) => place.maintainer.post(place.integrations, body)
const put = (id: number, body: unknown) => place.maintainer.put(`${place.integrations}/${id}`, body)
const refused = (field: string, sentence: string) => ({ status: 400, body: { message: { [field]: [sentence] } } })
const example = { event: { name: 'Disk', level: 'low' } }
const title = { field_name: 'title', path: ['event', 'name'] }

describe('creating an integration', () => {
  test('gives it an address and a key of its own', async () => {
    const { status, body } = await post({ name: 'Pager Hook', token: 'mine', url: 'x', endpoint_identifier: 'mine' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'Pager Hook',
      type: 'http',
      active: true,
      url: `${server.url}/${place.path}/alerts/notify/pager-hook/${body.endpoint_identifier}.json`,
      token: expect.stringMatching(/^[0-9a-f]{32}$/),
      endpoint_identifier: expect.stringMatching(/^[0-9a-f]{16}$/),
      external_url: null,
      payload_example: null,
      payload_attribute_mappings: [],
      last_received_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const other = await place.integration({ name: 'Pager Hook' })
    expect(other.token).not.toBe(body.token)
    expect(other.endpoint_identifier).not.toBe(body.endpoint_identifier)
    expect((await place.maintainer.get(`${place.integrations}/${body.id}`)).body).toEqual(body)
  })

  test('gives the first of Prometheus the fixed address, even when two are created at once', async () => {
    const made = await Promise.all(
      [1, 2, 3].map(() => place.integration({ type: 'prometheus', api_url: 'http://old' })),
    )
    const fixed = made.filter(({ endpoint_identifier }) => endpoint_identifier === 'legacy-prometheus')
    expect(fixed.map(({ url }) => url)).toEqual([`${server.url}/${place.path}/prometheus/alerts/notify.json`])
    const rest = made.filter((one) => !fixed.includes(one))
    for (const { url, endpoint_identifier: id } of rest) expect(url).toContain(`/alerts/notify/pager-hook/${id}.json`)
    // The fixed identifier is free again.
    await place.maintainer.delete(`${place.integrations}/${fixed[0]?.id}`)
    expect((await place.integration({ type: 'prometheus' })).endpoint_identifier).toBe('legacy-prometheus')
  })

  test('of an external link has neither key nor identifier', async () => {
    const body = { name: 'Link', type: 'external_link', external_url: 'https://example.com/a' }
    expect((await post(body)).body).toMatchObject({
      url: 'https://example.com/a',
      external_url: 'https://example.com/a',
      token: null,
      endpoint_identifier: null,
    })
  })

  test('keeps example and mappings', async () => {
    const { status, body } = await post({
      name: 'Mapped',
      payload_example: JSON.stringify(example),
      payload_attribute_mappings: [
        title,
        { field_name: 'severity', path: '$.event.level', label: 'Level', type: 'string' },
      ],
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      payload_example: example,
      payload_attribute_mappings: [
        { field_name: 'title', path: ['event', 'name'], label: 'name', type: 'string' },
        { field_name: 'severity', path: ['event', 'level'], label: 'Level', type: 'string' },
      ],
    })
    const byName = { title: ['event', 'name'], severity: '$.event.level' }
    expect((await put(body.id, { payload_attribute_mappings: byName })).body.payload_attribute_mappings).toMatchObject([
      { field_name: 'title', path: ['event', 'name'] },
      { field_name: 'severity', path: ['event', 'level'] },
    ])
    const prometheus = { type: 'prometheus', payload_example: 'nonsense', payload_attribute_mappings: [title] }
    expect(await place.integration(prometheus)).toMatchObject({ payload_example: null, payload_attribute_mappings: [] })
  })

  test.each([
    ['name is missing', {}],
    ['name is empty', { name: ' ' }],
    ['type does not have a valid value', { name: 'a', type: 'opsgenie' }],
    ['active is invalid', { name: 'a', active: 'maybe' }],
    ['payload_attribute_mappings is invalid', { name: 'a', payload_attribute_mappings: 'title' }],
    [
      'payload_attribute_mappings[0][field_name] is missing',
      { name: 'a', payload_example: example, payload_attribute_mappings: [{ path: ['a'] }] },
    ],
  ])('answers: %s', async (error, body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { error } })
  })

  test.each([
    ['name', 'is too long (maximum is 255 characters)', { name: '😀'.repeat(256) }],
    ['external_url', 'must be a valid URL', { type: 'external_link' }],
    ['external_url', 'must be a valid URL', { type: 'external_link', external_url: 'javascript:alert(1)' }],
    ['external_url', 'must be a valid URL', { type: 'external_link', external_url: `http://a/${'x'.repeat(1024)}` }],
    ['payload_example', 'must be a valid JSON object', { payload_example: '[1]' }],
    ['payload_example', 'must be a valid JSON object', { payload_example: '{' }],
    ['payload_example', 'is too long (maximum is 65536 bytes)', { payload_example: { a: 'ä'.repeat(32_768) } }],
    ['payload_attribute_mappings', 'require payload_example', { payload_attribute_mappings: [title] }],
    [
      'payload_attribute_mappings',
      'must include title',
      { payload_attribute_mappings: [{ ...title, field_name: 'hosts' }] },
    ],
    [
      'payload_attribute_mappings',
      'has an invalid path',
      { payload_example: example, payload_attribute_mappings: [{ ...title, path: '$..name' }] },
    ],
    [
      'payload_attribute_mappings',
      'has a duplicate field_name',
      { payload_example: example, payload_attribute_mappings: [title, title] },
    ],
    [
      'payload_attribute_mappings',
      'has an unknown field_name',
      { payload_example: example, payload_attribute_mappings: [title, { ...title, field_name: 'color' }] },
    ],
  ])('answers: %s %s', async (field, sentence, body) => {
    expect(await post({ name: 'a', ...body })).toMatchObject(refused(field, sentence))
  })
})

test('an active external link and another active integration exclude each other', async () => {
  const link = { name: 'Link', type: 'external_link', external_url: 'https://example.com' }
  const excluded = refused(
    'base',
    'An external link integration cannot be active together with other alert integrations',
  )
  const hook = await place.integration()
  expect(await post(link)).toMatchObject(excluded)
  const inactive = await post({ ...link, active: false })
  expect(inactive.status).toBe(201)
  expect(await put(inactive.body.id, { active: true })).toMatchObject(excluded)
  await put(hook.id, { active: false })
  expect((await put(inactive.body.id, { active: true })).status).toBe(200)
  expect(await put(hook.id, { active: true })).toMatchObject(excluded)
  expect(await post({ name: 'another' })).toMatchObject(excluded)
  // Of two activations at once, one is refused.
  await put(inactive.body.id, { active: false })
  const both = await Promise.all([put(inactive.body.id, { active: true }), put(hook.id, { active: true })])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
})

describe('changing an integration', () => {
  test('leaves its key and identifier', async () => {
    const hook = await place.integration()
    const { status, body } = await put(hook.id, { name: 'New Näme', type: 'prometheus', active: false })
    expect(status).toBe(200)
    expect(body).toMatchObject({ type: 'http', active: false, token: hook.token })
    expect(body.url).toContain(`/alerts/notify/new-n-me/${hook.endpoint_identifier}.json`)
  })

  test('needs something to change', async () => {
    const { id } = await place.integration()
    const names = 'name, active, external_url, payload_example, payload_attribute_mappings'
    expect((await put(id, { type: 'http' })).body.error).toBe(
      `${names} are missing, at least one parameter must be provided`,
    )
    expect((await put(id, { name: '' })).body.error).toBe('name is empty')
  })

  test('of the example clears the mappings, unless they are given as well', async () => {
    const { id } = await place.integration({ payload_example: example, payload_attribute_mappings: [title] })
    expect((await put(id, { name: 'b' })).body.payload_attribute_mappings).toHaveLength(1)
    const both = { payload_example: example, payload_attribute_mappings: [title] }
    expect((await put(id, both)).body.payload_attribute_mappings).toHaveLength(1)
    expect((await put(id, { payload_example: { a: 1 } })).body).toMatchObject({
      payload_example: { a: 1 },
      payload_attribute_mappings: [],
    })
    expect((await put(id, { payload_example: null })).body.payload_example).toBeNull()
    expect(await put(id, { payload_attribute_mappings: [title] })).toMatchObject(
      refused('payload_attribute_mappings', 'require payload_example'),
    )
  })
})

describe('an integration', () => {
  test('gets a new key', async () => {
    const hook = await place.integration()
    const { status, body } = await place.maintainer.post(`${place.integrations}/${hook.id}/reset_token`)
    expect(status).toBe(200)
    expect(body.token).toMatch(/^[0-9a-f]{32}$/)
    expect(body.token).not.toBe(hook.token)
    const link = await place.integration({ type: 'external_link', external_url: 'http://a', active: false })
    expect(await place.maintainer.post(`${place.integrations}/${link.id}/reset_token`)).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - integration has no token' },
    })
  })

  test('is deleted once', async () => {
    const { id } = await place.integration()
    const address = `${place.integrations}/${id}`
    const old = { headers: { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' } }
    expect((await place.maintainer.delete(address, old)).status).toBe(412)
    expect((await place.maintainer.delete(address)).status).toBe(204)
    expect(await place.maintainer.delete(address)).toMatchObject({
      status: 404,
      body: { message: '404 Integration Not Found' },
    })
  })

  test('belongs to one project', async () => {
    const { id } = await place.integration()
    const other = await projectWithAlerts(server, people)
    const missing = { status: 404, body: { message: '404 Integration Not Found' } }
    const address = `${other.integrations}/${id}`
    expect(await other.maintainer.get(address)).toMatchObject(missing)
    expect(await other.maintainer.put(address, { name: 'x' })).toMatchObject(missing)
    expect(await other.maintainer.post(`${address}/reset_token`)).toMatchObject(missing)
    expect(await other.maintainer.delete(address)).toMatchObject(missing)
    expect(await other.maintainer.get(`${other.integrations}/x`)).toMatchObject({
      status: 400,
      body: { error: 'integration_id is invalid' },
    })
  })
})

describe('the list', () => {
  test('is filtered, in pages, and takes the same queries for any number', async () => {
    await place.integration()
    const ask = () => place.maintainer.get(`${place.integrations}?per_page=2`)
    const queries = await queriesOf(server, ask)
    await place.integration({ active: false })
    await place.integration({ type: 'prometheus' })
    expect(await queriesOf(server, ask)).toBe(queries)
    const { body, headers } = await ask()
    expect(body[0].id).toBeLessThan(body[1].id)
    expect([body.length, headers.get('x-total'), headers.get('x-next-page')]).toEqual([2, '3', '2'])
    const typesOf = async (query: string) =>
      (await place.maintainer.get(`${place.integrations}?${query}`)).body.map(({ type }: { type: string }) => type)
    expect(await typesOf('active=false')).toEqual(['http'])
    expect(await typesOf('type=prometheus')).toEqual(['prometheus'])
    expect((await place.maintainer.get(`${place.integrations}?type=x`)).body.error).toBe(
      'type does not have a valid value',
    )
  })
})

test('keys are encrypted in the database', async () => {
  const { id, token } = await place.integration()
  const { read } = server.app.platform.database
  const row = await read.selectFrom('alert_integrations').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).not.toContain(token)
})

describe('the fields of a sample', () => {
  const ask = (body: unknown) => place.maintainer.post(`${place.base}/alert_management_payload_fields`, body)

  test('are its scalars and arrays in their order', async () => {
    const sample = { b: { at: '2024-01-01T00:00:00Z', none: null }, a: ['x', { y: 1 }] }
    const expected = [
      { path: ['b', 'at'], label: 'b/at', type: 'datetime' },
      { path: ['b', 'none'], label: 'b/none', type: 'string' },
      { path: ['a'], label: 'a', type: 'array' },
      { path: ['a', 0], label: 'a/0', type: 'string' },
      { path: ['a', 1, 'y'], label: 'a/1/y', type: 'string' },
    ]
    expect(await ask({ payload_example: sample })).toMatchObject({ status: 200, body: expected })
    expect((await ask({ payload_example: JSON.stringify(sample) })).body).toEqual(expected)
  })

  test('are bounded in number and depth', async () => {
    const many = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`k${index}`, 1]))
    expect((await ask({ payload_example: many })).body).toHaveLength(500)
    let deep: unknown = 1
    for (let level = 0; level < 30; level += 1) deep = { [`l${level}`]: deep, leaf: 1 }
    expect((await ask({ payload_example: deep })).body).toHaveLength(20)
  })

  test('of something else do not exist', async () => {
    const refusal = { status: 400, body: { message: '400 Bad request - payload_example must be a valid JSON object' } }
    for (const sample of ['[1]', '{', [1], 5]) expect(await ask({ payload_example: sample })).toMatchObject(refusal)
    expect((await ask({})).body.error).toBe('payload_example is missing')
  })
})
