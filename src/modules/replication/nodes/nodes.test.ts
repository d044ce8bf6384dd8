import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { makePrimary, makeSecondary, removeNodes, signedBy } from '../testing.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterEach(() => removeNodes(server))
afterAll(() => server.stop())

const messageOf = ({ status, body }: { status: number; body: { message?: unknown } }) => [status, body.message]

describe('creating a node', () => {
  test('gives a secondary the defaults, and the links of its name', async () => {
    const primary = await makePrimary(server)
    expect(primary).toMatchObject({ primary: true, current: true, enabled: true, url: `${server.url}/` })
    const { status, body, headers } = await server.root.post('/geo_nodes', {
      name: ' berlin ',
      url: 'https://b.test:8443/x',
    })
    expect(status).toBe(201)
    expect(headers.get('deprecation')).toBe('true')
    const self = `${server.url}/api/v4/geo_nodes/${body.id}`
    expect(body).toEqual({
      id: body.id,
      name: 'berlin',
      url: 'https://b.test:8443/x/',
      internal_url: 'https://b.test:8443/x/',
      primary: false,
      enabled: true,
      current: false,
      files_max_capacity: 10,
      repos_max_capacity: 25,
      container_repositories_max_capacity: 10,
      verification_max_capacity: 100,
      selective_sync_type: null,
      selective_sync_shards: [],
      selective_sync_namespace_ids: [],
      minimum_reverification_interval: 7,
      sync_object_storage: false,
      clone_protocol: 'http',
      web_edit_url: `${server.url}/admin/geo/sites/${body.id}/edit`,
      web_geo_replication_details_url: `https://b.test:8443/x/admin/geo/sites/${body.id}/replication/project_repositories`,
      _links: { self, status: `${self}/status`, repair: `${self}/repair` },
    })
    const { body: site, headers: ofSite } = await server.root.get(`/geo_sites/${body.id}`)
    expect(ofSite.get('deprecation')).toBeNull()
    const { clone_protocol: _, ...members } = body
    expect(site).toEqual({
      ...members,
      _links: expect.objectContaining({ self: self.replace('geo_nodes', 'geo_sites') }),
    })
    expect(Object.keys(site).slice(9, 11)).toEqual(['verification_max_capacity', 'container_repositories_max_capacity'])
    expect(primary).not.toHaveProperty('web_geo_replication_details_url')
    const listed = await server.root.get('/geo_nodes')
    expect(listed.body.map(({ id }: { id: number }) => id)).toEqual([primary.id, body.id])
  })

  test('takes all members, lists also separated by commas', async () => {
    const owner = await server.user('nodes-owner')
    const [a, b] = [await server.make.group('nodes-a', owner), await server.make.group('nodes-b', owner)]
    const given = {
      name: 'x',
      url: 'http://x.test',
      internal_url: 'http://internal.test',
      enabled: false,
      files_max_capacity: 0,
      repos_max_capacity: '3',
      verification_max_capacity: 4,
      container_repositories_max_capacity: 5,
      sync_object_storage: 'yes',
      selective_sync_type: 'shards',
      selective_sync_shards: 'b,a,b',
      selective_sync_namespace_ids: `${b.id},${a.id}`,
      minimum_reverification_interval: 1,
    }
    const { body } = await server.root.post('/geo_nodes', given)
    expect(body).toMatchObject({
      ...given,
      url: 'http://x.test/',
      internal_url: 'http://internal.test/',
      repos_max_capacity: 3,
      sync_object_storage: true,
      selective_sync_shards: ['b', 'a'],
      selective_sync_namespace_ids: [a.id, b.id],
    })
    const byNamespaces = await server.root.put(`/geo_nodes/${body.id}`, { selective_sync_type: 'namespaces' })
    expect(byNamespaces.body).toMatchObject({ selective_sync_type: 'namespaces' })
    const cleared = await server.root.put(`/geo_nodes/${body.id}`, {
      internal_url: '',
      selective_sync_type: null,
      selective_sync_shards: [],
      selective_sync_namespace_ids: '',
      url: 'http://y.test/',
    })
    expect(cleared.body).toMatchObject({
      url: 'http://y.test/',
      internal_url: 'http://y.test/',
      selective_sync_type: null,
      selective_sync_shards: [],
      selective_sync_namespace_ids: [],
      files_max_capacity: 0,
    })
    // An internal address that equals the other one is as good as none.
    await server.root.put(`/geo_nodes/${body.id}`, { internal_url: 'http://y.test' })
    const moved = await server.root.put(`/geo_nodes/${body.id}`, { url: 'http://z.test' })
    expect(moved.body.internal_url).toBe('http://z.test/')
    expect(
      messageOf(await server.root.put(`/geo_nodes/${body.id}`, { selective_sync_namespace_ids: [a.id, 999_999] })),
    ).toEqual([404, '404 Not found'])
    expect((await server.root.get(`/geo_nodes/${body.id}`)).body.selective_sync_namespace_ids).toEqual([])
  })

  test('refuses what is missing or has another type', async () => {
    expect((await server.root.post('/geo_nodes', {})).body).toEqual({
      message: '400 (Bad request) "name", "url" not given',
      error: 'name is missing, url is missing',
    })
    const wrong = { name: 'x', url: 'http://x', primary: 'maybe', repos_max_capacity: 'many' }
    expect((await server.root.post('/geo_nodes', wrong)).body.message).toEqual({
      primary: ['is invalid'],
      repos_max_capacity: ['is invalid'],
    })
  })

  test('refuses values against the rules, all at once', async () => {
    const wrong = {
      name: ' ',
      url: 'nowhere',
      internal_url: 'ftp://x',
      files_max_capacity: -1,
      repos_max_capacity: -1,
      verification_max_capacity: -1,
      container_repositories_max_capacity: -1,
      minimum_reverification_interval: 0,
      selective_sync_type: 'x',
    }
    const low = ['must be greater than or equal to 0']
    expect(messageOf(await server.root.post('/geo_nodes', wrong))).toEqual([
      400,
      {
        name: ["can't be blank"],
        url: ['must be a valid URL'],
        internal_url: ['is blocked: Only allowed schemes are http, https'],
        files_max_capacity: low,
        repos_max_capacity: low,
        verification_max_capacity: low,
        container_repositories_max_capacity: low,
        minimum_reverification_interval: ['must be greater than or equal to 1'],
        selective_sync_type: ['is not included in the list'],
      },
    ])
    const blankInside = await server.root.post('/geo_nodes', { name: 'blank', url: 'http://x/a b' })
    expect(blankInside.body.message).toEqual({ url: ['must be a valid URL'] })
    const long = await server.root.post('/geo_nodes', { name: '💥'.repeat(256), url: 'http://x' })
    expect(long.body.message).toEqual({ name: ['is too long (maximum is 255 characters)'] })
    expect((await server.root.post('/geo_nodes', { name: '💥'.repeat(255), url: 'http://x' })).status).toBe(201)
  })

  test('does not lock administrators out, and has one primary', async () => {
    const own = { name: `${server.url}/`, url: server.url }
    const locked = { base: ['Current node must be the primary node or you will be locking yourself out'] }
    expect((await server.root.post('/geo_nodes', own)).body.message).toEqual(locked)
    const disabled = await server.root.post('/geo_nodes', { ...own, primary: true, enabled: false })
    expect(disabled.body.message).toEqual({ enabled: ['Geo primary node cannot be disabled'] })
    const { id } = (await server.root.post('/geo_nodes', { ...own, primary: true })).body
    expect((await server.root.get(`/geo_nodes/${id}`)).body.current).toBe(true)
    const second = await server.root.post('/geo_nodes', { name: 'b', url: 'http://b', primary: true })
    expect(second.body.message).toEqual({ primary: ['node already exists'] })
    const other = (await server.root.post('/geo_nodes', { name: 'B', url: 'http://b' })).body
    expect((await server.root.post('/geo_nodes', { name: 'b ', url: 'http://c' })).body.message).toEqual({
      name: ['has already been taken'],
    })
    const put = async (to: number, body: object) => (await server.root.put(`/geo_nodes/${to}`, body)).body.message
    expect(await put(id, { enabled: false })).toEqual({ enabled: ['Geo primary node cannot be disabled'] })
    expect(await put(id, { primary: false })).toEqual(locked)
    expect(await put(other.id, { primary: true })).toEqual({ primary: ['node already exists'] })
    expect(await put(other.id, { name: own.name })).toEqual({ name: ['has already been taken'], ...locked })
    expect(await put(other.id, { name: 'B', url: 'HTTP://B' })).toBeUndefined()
  })

  test('of two primaries at once makes one', async () => {
    const names = ['one', 'two', 'three']
    const answers = await Promise.all(
      names.map((name) => server.root.post('/geo_sites', { name, url: 'http://n', primary: true })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400])
  })
})

describe('a record', () => {
  test('is addressed by its number', async () => {
    for (const naming of ['geo_nodes', 'geo_sites']) {
      expect(messageOf(await server.root.get(`/${naming}/1000000`))).toEqual([404, '404 Not found'])
      expect((await server.root.get(`/${naming}/x%2Fy`)).body).toEqual({
        message: { id: ['is invalid'] },
        error: 'id is invalid',
      })
      expect(messageOf(await server.root.put(`/${naming}/1000000`, {}))).toEqual([404, '404 Not found'])
      expect(messageOf(await server.root.delete(`/${naming}/1000000`))).toEqual([404, '404 Not found'])
      expect(messageOf(await server.root.post(`/${naming}/1000000/repair`))).toEqual([404, '404 Not found'])
      expect(messageOf(await server.root.get(`/${naming}/1000000/status`))).toEqual([404, '404 Not found'])
      expect(messageOf(await server.root.get(`/${naming}/current/status`))).toEqual([
        404,
        '404 Geo node not found Not Found',
      ])
      expect(messageOf(await server.root.get(`/${naming}/current/failures`))).toEqual([
        404,
        '404 Geo node not found Not Found',
      ])
    }
  })

  test('is for administrators', async () => {
    const user = await server.user('nodes-user')
    for (const [method, path] of [
      ['GET', '/geo_nodes'],
      ['POST', '/geo_sites'],
      ['PUT', '/geo_nodes/1'],
      ['DELETE', '/geo_nodes/1/credentials'],
    ] as const) {
      expect(messageOf(await user.request(method, path))).toEqual([403, '403 Forbidden'])
      expect(messageOf(await server.anonymous.request(method, path))).toEqual([401, '401 Unauthorized'])
    }
  })

  test('is listed in pages, with a fixed number of queries', async () => {
    await makePrimary(server)
    const ask = () => server.root.get('/geo_nodes?per_page=20')
    await makeSecondary(server.root, { name: 'n0', url: 'http://n0' })
    const few = await queriesOf(server, ask)
    for (let n = 1; n < 6; n += 1) await makeSecondary(server.root, { name: `n${n}`, url: 'http://n' })
    expect(await queriesOf(server, ask)).toBe(few)
    const { body, headers } = await server.root.get('/geo_nodes?per_page=3&page=2')
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['n2', 'n3', 'n4'])
    expect(headers.get('x-total')).toBe('7')
  })
})

describe('credentials', () => {
  test('are issued, replaced and revoked; the primary has none', async () => {
    const primary = await makePrimary(server)
    const { id, credentials: first } = await makeSecondary(server.root, { name: 'c', url: 'http://c' })
    expect(first).toEqual({
      access_key: expect.stringMatching(/^[\w-]{20}$/),
      secret_access_key: expect.stringMatching(/^[\w-]{43}$/),
    })
    const node = (credentials: typeof first) => server.anonymous.get('/geo/node', signedBy(credentials))
    expect((await node(first)).body.node.id).toBe(id)
    const { body: second } = await server.root.post(`/geo_nodes/${id}/credentials`)
    expect([(await node(first)).status, (await node(second)).status]).toEqual([401, 200])
    for (let again = 0; again < 2; again += 1) {
      expect((await server.root.delete(`/geo_nodes/${id}/credentials`)).status).toBe(204)
    }
    expect(messageOf(await node(second))).toEqual([401, '401 Unauthorized - Geo JWT authentication failed'])
    const refused = [400, '400 Bad request - The primary node has no credentials']
    expect(messageOf(await server.root.post(`/geo_nodes/${primary.id}/credentials`))).toEqual(refused)
    expect(messageOf(await server.root.delete(`/geo_nodes/${primary.id}/credentials`))).toEqual(refused)
    expect(messageOf(await server.root.post('/geo_nodes/1000000/credentials'))).toEqual([404, '404 Not found'])
    expect(messageOf(await server.root.delete('/geo_nodes/1000000/credentials'))).toEqual([404, '404 Not found'])
  })

  test('follow the role of the record', async () => {
    const { id } = await makeSecondary(server.root, { name: 'turning', url: 'http://t' })
    const credential = async () => (await server.root.post(`/geo_sites/${id}/repair`)).body.missing_oauth_application
    expect(await credential()).toBe(false)
    await server.root.put(`/geo_sites/${id}`, { primary: true })
    expect((await server.root.get('/geo_sites')).body[0].primary).toBe(true)
    await server.root.put(`/geo_sites/${id}`, { primary: false })
    expect(await credential()).toBe(false)
  })

  test('let a secondary enable and disable itself, and nothing else', async () => {
    await makePrimary(server)
    const { id, credentials } = await makeSecondary(server.root, { name: 'self', url: 'http://self' })
    const other = await makeSecondary(server.root, { name: 'other', url: 'http://other' })
    const signed = () => signedBy(credentials)
    const put = (to: number, body: object) => server.anonymous.put(`/geo_nodes/${to}`, body, signed())
    expect((await put(id, { enabled: false })).body).toMatchObject({ id, enabled: false })
    expect((await put(id, { enabled: true })).body).toMatchObject({ enabled: true })
    const refused = [400, '400 Bad request']
    expect(messageOf(await put(other.id, { enabled: false }))).toEqual(refused)
    expect(messageOf(await put(id, { enabled: true, name: 'x' }))).toEqual(refused)
    expect(messageOf(await server.anonymous.get(`/geo_nodes/${id}`, signed()))).toEqual(refused)
    expect(messageOf(await server.anonymous.delete(`/geo_sites/${id}`, signed()))).toEqual(refused)
    const old = signedBy(credentials, new Date(Date.now() - 100_000))
    expect(messageOf(await server.anonymous.put(`/geo_nodes/${id}`, {}, old))).toEqual([
      401,
      '401 Unauthorized - Geo JWT authentication failed',
    ])
  })
})
