/** Parameters, checks and lists of migrations (contract 25, 9). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { groupMigration, migrate, type PretendedSource, pretendGroup, pretendSource } from '../testing.ts'

const clock = manualClock({ start: '2026-03-04T05:06:07.890Z' })
let server: TestServer
let owner: Person
let other: Person
let source: PretendedSource
beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  other = await server.user('other')
  await server.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
})
beforeEach(async () => {
  source = await pretendSource()
  pretendGroup(source, { id: 7, path: 'g' })
})
afterEach(async () => {
  await source[Symbol.asyncDispose]()
  // The limit of requests is one of a minute.
  clock.advance(61_000)
})
afterAll(() => server.stop())

const refused = (message: string) => ({ status: 422, body: { message } })
const stored = () => server.app.platform.database.read.selectFrom('bulk_imports').selectAll().execute()

describe('the parameters of a migration', () => {
  const entity = {
    source_type: 'group_entity',
    source_full_path: 'g',
    destination_namespace: '',
    destination_slug: 'x',
  }
  const configuration = { url: 'http://127.0.0.1', access_token: 't' }
  const rule =
    'must have a relative path structure with no HTTP protocol characters, or leading or trailing forward slashes. Path segments must not start or end with a special character, and must not contain consecutive special characters.'

  test.each([
    [{}, 'configuration is missing, entities is missing'],
    [
      { configuration: {}, entities: [entity] },
      'configuration[url] is missing, configuration[access_token] is missing',
    ],
    [{ configuration, entities: [] }, 'entities is missing'],
    [{ configuration: 'x', entities: [entity] }, 'configuration is invalid'],
    [{ configuration, entities: Array(101).fill(entity) }, 'entities is invalid'],
    [{ configuration, entities: ['x'] }, 'entities[0] is invalid'],
    [
      { configuration, entities: [{ ...entity, source_full_path: undefined }] },
      'entities[0][source_full_path] is missing',
    ],
    [
      { configuration, entities: [entity, { ...entity, source_type: 'x' }] },
      'entities[1][source_type] does not have a valid value',
    ],
    [
      { configuration, entities: [{ ...entity, destination_slug: undefined }] },
      'entities[0][destination_slug], entities[0][destination_name] are missing, at least one parameter must be provided',
    ],
    [
      { configuration, entities: [{ ...entity, destination_name: 'y' }] },
      'entities[0][destination_slug], entities[0][destination_name] are mutually exclusive',
    ],
    ...['http://h/g', '/g', 'g/', 'g//h', '../g', '-g', 'g-', 'a..b', 'ü', ''].map((path) => [
      { configuration, entities: [{ ...entity, source_full_path: path }] },
      `entities[0][source_full_path] ${rule}`,
    ]),
    [
      { configuration, entities: [{ ...entity, destination_namespace: '/g' }] },
      `entities[0][destination_namespace] ${rule}`,
    ],
    [
      { configuration, entities: [{ ...entity, migrate_projects: 'maybe' }] },
      'entities[0][migrate_projects] is invalid',
    ],
  ] as [object, string][])('case %# is refused with its error', async (body, error) => {
    expect(await owner.post('/bulk_imports', body)).toMatchObject({ status: 400, body: { error } })
  })
})

describe('the checks of a migration', () => {
  const start = (changes: object = {}, client: Person = owner) =>
    client.post('/bulk_imports', { ...groupMigration(source.url, 'secret', 'g', 'copy'), ...changes })
  const badUrl = refused('Invalid source URL. Enter only the base URL of the source GitLab instance.')
  const badToken = refused("Personal access token does not have the required 'api' scope or is no longer valid.")

  test.each([
    'x',
    'ftp://h',
    'http://h/path',
    'http://u:p@h',
    'http://h?a=b',
    'http://169.254.1.1',
    'http://127.0.0.1:1',
  ])('the address %s is refused', async (url) => {
    if (url.includes('169')) {
      await server.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: false })
    }
    expect(await start({ configuration: { url, access_token: 't' } })).toMatchObject(badUrl)
    await server.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
  })

  test('a source must answer as one', async () => {
    for (const answer of [
      { status: 302, headers: { Location: 'http://169.254.169.254/' } },
      { bytes: Buffer.from('<html>') },
      { body: ['17.7.0'] },
      { body: { version: 17 } },
      { status: 500, body: { version: '17.7.0' } },
      { bytes: Buffer.alloc(17 * 1024 * 1024, ' ') },
    ]) {
      source.answers.set('GET /version', answer)
      clock.advance(61_000)
      expect(await start()).toMatchObject(badUrl)
    }
    const paths = source.asked.map(({ path }) => path)
    expect(new Set(paths)).toEqual(new Set(['/version']))
  })

  test('a source must be new enough', async () => {
    for (const version of ['13.12.15-ee', 'x', '']) {
      source.answers.set('GET /version', { body: { version } })
      expect(await start()).toMatchObject(refused('Unsupported GitLab version. Minimum supported version is 14.'))
    }
  })

  test('the token must be one with the scope api', async () => {
    source.answers.set('GET /version', { status: 401, body: { message: '401 Unauthorized' } })
    expect(await start()).toMatchObject(badToken)
    source.answers.set('GET /version', { body: { version: '14.0.0' } })
    for (const answer of [
      { status: 401 },
      { body: { scopes: ['read_api'] } },
      { body: { scopes: 'api' } },
      { body: [] },
    ]) {
      source.answers.set('GET /personal_access_tokens/self', answer)
      clock.advance(61_000)
      expect(await start()).toMatchObject(badToken)
    }
    source.answers.set('GET /personal_access_tokens/self', { status: 404 })
    expect((await start()).status).toBe(201)
  })

  test('the source must have migrations switched on, and what is named', async () => {
    source.answers.set('GET /groups/g/export_relations/status', { status: 404, body: { message: '404 Not Found' } })
    const off =
      'Group import disabled on source or destination instance. Ask an administrator to enable it on both instances and try again.'
    expect(await start()).toMatchObject(refused(off))
    for (const answer of [
      { status: 404, body: { message: '404 Group Not Found' } },
      { status: 403, body: [] },
    ]) {
      source.answers.set('GET /groups/g/export_relations/status', answer)
      expect(await start()).toMatchObject(refused("Import failed. 'g' not found."))
    }
  })

  test('the destination must be there, open to the caller, and free', async () => {
    const group = await server.make.group('theirs', other)
    const invalid = (path: string) =>
      refused(`Import failed. Destination '${path}' is invalid, or you don't have permission.`)
    const into = (more: object) => groupMigration(source.url, 'secret', 'g', 'copy', more)
    expect(await owner.post('/bulk_imports', into({ destination_namespace: 'none' }))).toMatchObject(invalid('none'))
    expect(await owner.post('/bulk_imports', into({ destination_namespace: 'theirs' }))).toMatchObject(
      invalid('theirs'),
    )
    expect(await owner.post('/bulk_imports', into({ destination_namespace: 'owner' }))).toMatchObject(invalid('owner'))
    for (const slug of ['a b', '..', 'x.git', 'api', '-x', 'y'.repeat(256)]) {
      clock.advance(61_000)
      expect(await owner.post('/bulk_imports', into({ destination_slug: slug }))).toMatchObject(invalid(slug))
    }
    const exists = (path: string) =>
      refused(`Import failed. '${path}' already exists. Change the destination and try again.`)
    expect(await owner.post('/bulk_imports', into({ destination_slug: 'THEIRS' }))).toMatchObject(exists('THEIRS'))
    const twice = into({})
    twice.entities.push({ ...twice.entities[0] } as never)
    expect(await owner.post('/bulk_imports', twice)).toMatchObject(exists('copy'))
    source.answers.set('GET /projects/g/p/export_relations/status', { body: [] })
    const project = { source_type: 'project_entity', source_full_path: 'g/p' }
    expect(await owner.post('/bulk_imports', into(project))).toMatchObject(invalid(''))
    expect(group.id).toBeGreaterThan(0)
  })

  test('nothing is stored when a check fails, and requests are limited', async () => {
    const before = (await stored()).length
    source.answers.set('GET /version', { body: { version: '1.0' } })
    const answers = []
    for (let count = 0; count < 7; count += 1) answers.push((await start()).status)
    expect(answers).toEqual([422, 422, 422, 422, 422, 422, 429])
    expect((await owner.post('/bulk_imports', {})).status).toBe(400)
    expect(await stored()).toHaveLength(before)
  })

  test('the token is sealed, and in no answer', async () => {
    const token = 'glpat-not-to-be-seen'
    const answer = await start({ configuration: { url: source.url, access_token: token } })
    expect(answer).toMatchObject({
      status: 201,
      body: { status: 'created', source_type: 'gitlab', has_failures: false },
    })
    expect(answer.body.source_url).toBe(source.url)
    const row = (await stored()).find(({ id }) => id === answer.body.id)
    expect(row?.sealed_token).toEqual(expect.any(String))
    expect(JSON.stringify([row, answer.body])).not.toContain(token)
  })
})

describe('migrations', () => {
  test('are listed for their user, by status and in both directions', async () => {
    // They wait for the source.
    source.answers.set('GET /groups/g', null)
    const ids: number[] = []
    for (const slug of ['one', 'two']) {
      ids.push(await migrate(other, groupMigration(source.url, 's', 'g', slug)))
      clock.advance(1_000)
    }
    expect((await other.get('/bulk_imports')).body.map(({ id }: { id: number }) => id)).toEqual(ids.toReversed())
    expect((await other.get('/bulk_imports?sort=asc&per_page=1')).body).toMatchObject([{ id: ids[0] }])
    expect((await other.get('/bulk_imports?status=timeout')).body).toEqual([])
    const entities = (await other.get('/bulk_imports/entities?sort=asc')).body
    expect(entities).toMatchObject([
      { bulk_import_id: ids[0], destination_full_path: 'one', destination_name: 'one', destination_slug: 'one' },
      { bulk_import_id: ids[1], entity_type: 'group', source_full_path: 'g', failures: [], stats: {} },
    ])
    expect((await owner.get(`/bulk_imports/${ids[0]}`)).status).toBe(404)
    expect((await server.root.get(`/bulk_imports/${ids[0]}/entities`)).status).toBe(404)
    const entity = `/bulk_imports/${ids[0]}/entities/${entities[0].id}`
    expect((await other.get(entity)).body).toEqual(entities[0])
    expect((await other.get(`${entity}/failures`)).body).toEqual([])
    expect((await owner.get(entity)).status).toBe(404)
    expect((await other.get(`/bulk_imports/${ids[1]}/entities/${entities[0].id}`)).status).toBe(404)
    expect(await other.get('/bulk_imports/999999')).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    expect((await other.get('/bulk_imports?status=x')).status).toBe(400)
  })

  test('are canceled by their user or an administrator', async () => {
    // They wait for the source.
    source.answers.set('GET /groups/g', null)
    const ids = [
      await migrate(other, groupMigration(source.url, 's', 'g', 'c1')),
      await migrate(other, groupMigration(source.url, 's', 'g', 'c2')),
    ]
    expect(await owner.post(`/bulk_imports/${ids[0]}/cancel`)).toMatchObject({ status: 403 })
    expect(await owner.post('/bulk_imports/999999/cancel')).toMatchObject({
      status: 404,
      body: { message: '404 Not Found' },
    })
    for (const [index, client] of [other, server.root].entries()) {
      expect(await client.post(`/bulk_imports/${ids[index]}/cancel`)).toMatchObject({
        status: 200,
        body: { status: 'canceled' },
      })
      expect(await client.post(`/bulk_imports/${ids[index]}/cancel`)).toMatchObject({
        status: 200,
        body: { status: 'canceled' },
      })
      const entities = (await other.get(`/bulk_imports/${ids[index]}/entities`)).body
      expect(entities.map(({ status }: { status: string }) => status)).toEqual(['canceled'])
    }
    expect(
      (await stored()).filter(({ status }) => status === 'canceled').every(({ sealed_token }) => sealed_token === null),
    ).toBe(true)
  })

  test('do not exist for anyone while they are switched off', async () => {
    const id = await migrate(other, groupMigration(source.url, 's', 'g', 'off'))
    await server.root.put('/application/settings', { bulk_import_enabled: false })
    const absent = { status: 404, body: { message: '404 Not Found' } }
    for (const client of [other, server.root]) {
      for (const path of [
        '',
        '/entities',
        `/${id}`,
        `/${id}/entities`,
        `/${id}/entities/1`,
        `/${id}/entities/1/failures`,
      ]) {
        expect(await client.get(`/bulk_imports${path}`)).toMatchObject(absent)
      }
      expect(await client.post('/bulk_imports', {})).toMatchObject(absent)
      expect(await client.post(`/bulk_imports/${id}/cancel`)).toMatchObject(absent)
    }
    expect((await server.anonymous.get('/bulk_imports')).status).toBe(401)
    await server.root.put('/application/settings', { bulk_import_enabled: true })
  })
})
