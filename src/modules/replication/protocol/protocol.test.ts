import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { uploadKeys } from '../../uploads/index.ts'
import { fileForm } from '../../uploads/testing.ts'
import { type Issued, makePrimary, makeSecondary, removeNodes, signedBy } from '../testing.ts'

let server: TestServer
let owner: Person
let nodeId: number
let credentials: Issued

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('protocol-owner')
})
beforeEach(async () => {
  await makePrimary(server)
  const made = await makeSecondary(server.root, { name: 'second', url: 'http://second.test' })
  nodeId = made.id
  credentials = made.credentials
})
afterEach(() => removeNodes(server))
afterAll(() => server.stop())

const get = (path: string, headers: Record<string, string> = {}) =>
  server.anonymous.get(path, { headers: { ...signedBy(credentials).headers, ...headers } })
const post = (path: string, body: unknown) => server.anonymous.post(path, body, signedBy(credentials))
const messageOf = ({ status, body }: { status: number; body: { message?: unknown } }) => [status, body.message]
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function newProject(name: string): Promise<number> {
  return (await owner.post('/projects', { name })).body.id
}

const uploadTo = async (projectId: number, content: string) =>
  (await owner.post(`/projects/${projectId}/uploads`, fileForm('a.txt', content))).body

type Item = { id: number; project_id: number | null; checksum: string | null }
const itemsOf = async (type: string): Promise<Item[]> => (await get(`/geo/replicables?type=${type}`)).body
const newestEvent = async (): Promise<number> => (await get('/geo/node')).body.last_event_id

describe('the protocol', () => {
  test('is for enabled nodes of a primary', async () => {
    const refused = [401, '401 Unauthorized - Geo JWT authentication failed']
    expect(messageOf(await server.anonymous.get('/geo/node'))).toEqual(refused)
    expect(messageOf(await server.root.get('/geo/node'))).toEqual(refused)
    expect(messageOf(await get('/geo/node', { Authorization: 'Fennec-Geo unknown:a.b.c' }))).toEqual(refused)
    await server.root.put(`/geo_sites/${nodeId}`, { enabled: false })
    expect((await get('/geo/node')).body.node.enabled).toBe(false)
    expect((await post('/geo/status', {})).status).toBe(201)
    for (const path of ['/geo/events?after=0', '/geo/replicables?type=uploads', '/geo/retrieve/uploads/1']) {
      expect(messageOf(await get(path))).toEqual([403, '403 Forbidden - Node is disabled'])
    }
    const { body: sites } = await server.root.get('/geo_sites')
    await server.root.delete(`/geo_sites/${sites[0].id}`)
    expect(messageOf(await get('/geo/node'))).toEqual([403, '403 Forbidden - Not a primary node'])
  })

  test('tells a node its configuration', async () => {
    const { body } = await get('/geo/node')
    expect(body).toMatchObject({
      node: { id: nodeId, name: 'second', current: false },
      primary: { primary: true, current: true },
      storage_shards: ['default'],
      registry_public_key: { kty: 'RSA', alg: 'RS256', use: 'sig', kid: expect.stringMatching(/./) },
    })
    expect(body.registry_public_key).not.toHaveProperty('d')
  })

  test('lists items and changes in their order', async () => {
    const first = await newestEvent()
    const projectId = await newProject('listed')
    const { id: uploadId } = await uploadTo(projectId, 'listed bytes')
    await server.app.platform.jobs.drain()
    const { body } = await get(`/geo/events?after=${first}`)
    const seen = body.events.map(({ type, action }: { type: string; action: string }) => `${type} ${action}`)
    expect(seen.filter((one: string) => one.startsWith('uploads'))).toEqual(['uploads created', 'uploads checksummed'])
    expect(seen).toContain('project_repositories created')
    expect(body.events.find(({ checksum }: { checksum: string }) => checksum === sha256('listed bytes'))).toMatchObject(
      {
        ...{ type: 'uploads', replicable_id: uploadId },
      },
    )
    const uploads = await itemsOf('uploads')
    expect(uploads.find(({ id }) => id === uploadId)).toMatchObject({
      ...{ project_id: projectId, group_id: null, size: 12, object_storage: false, checksum: sha256('listed bytes') },
    })
    expect((await get(`/geo/replicables?type=uploads&after_id=${uploadId}`)).body).toEqual([])
    expect(await itemsOf('design_management_repositories')).toEqual([])
    expect(messageOf(await get('/geo/replicables?type=packages'))).toEqual([404, '404 Replicable type Not Found'])
    expect((await get('/geo/replicables?type=uploads&per_page=1001')).status).toBe(400)
    expect(messageOf(await get(`/geo/events?after=${body.last_event_id + 1000}`))).toEqual([410, '410 Gone'])
    const before = await newestEvent()
    const waiting = get(`/geo/events?after=${before}&wait=25`)
    await owner.delete(`/projects/${projectId}/uploads/${uploadId}`)
    expect((await waiting).body.events).toMatchObject([
      { type: 'uploads', replicable_id: uploadId, action: 'deleted', checksum: null },
    ])
    const { database } = server.app.platform
    await database.write(async (tx) => {
      await tx.deleteFrom('geo_events').where('id', '<', before).execute()
    })
    expect(messageOf(await get(`/geo/events?after=${first}`))).toEqual([410, '410 Gone'])
  })

  test('asks for the credentials before the parameters', async () => {
    const refused = [401, '401 Unauthorized - Geo JWT authentication failed']
    expect(messageOf(await server.anonymous.post('/geo/authorize', {}))).toEqual(refused)
    expect(messageOf(await server.anonymous.get('/geo/replicables?after_id=x'))).toEqual(refused)
    expect(messageOf(await server.anonymous.get('/geo/events?wait=x'))).toEqual(refused)
    expect((await post('/geo/authorize', {})).status).toBe(400)
    expect((await get('/geo/events?wait=x')).status).toBe(400)
  })

  test('sends files with their checksum, whole or from a place on', async () => {
    const { id } = await uploadTo(await newProject('sent'), '0123456789')
    await server.app.platform.jobs.drain()
    const path = `/geo/retrieve/uploads/${id}`
    const whole = await get(path)
    expect([whole.status, whole.body, whole.headers.get('x-fennec-checksum')]).toEqual([
      ...[200, '0123456789'],
      sha256('0123456789'),
    ])
    const rest = await get(path, { Range: 'bytes=7-' })
    expect([rest.status, rest.body, rest.headers.get('content-range')]).toEqual([206, '789', 'bytes 7-9/10'])
    expect((await get(path, { Range: 'bytes=10-' })).status).toBe(416)
    expect(messageOf(await get('/geo/retrieve/uploads/999999'))).toEqual([404, '404 Not found'])
    expect(messageOf(await get('/geo/retrieve/packages/1'))).toEqual([404, '404 Replicable type Not Found'])
    expect(messageOf(await get('/geo/retrieve/container_repositories/1/blobs/sha256:x'))).toEqual([
      404,
      '404 Not found',
    ])
    const { objects, database } = server.app.platform
    const key = (await uploadKeys(database.read, [id])).get(id)
    if (key) await objects.delete(key)
    expect((await get(path)).body).toEqual({ geo_code: 'FILE_NOT_FOUND', message: '404 Not found' })
  })

  test('gives a node what it selects only', async () => {
    const projectId = await newProject('unselected')
    const { id } = await uploadTo(projectId, 'x')
    const repository = (await itemsOf('project_repositories')).find(({ project_id }) => project_id === projectId)
    const group = await server.make.group('selected', owner)
    const limits = [
      { selective_sync_type: 'namespaces', selective_sync_namespace_ids: [group.id] },
      { selective_sync_type: 'shards', selective_sync_shards: ['other'] },
    ]
    for (const limit of limits) {
      await server.root.put(`/geo_sites/${nodeId}`, limit)
      const outside = [403, '403 Forbidden - Not selected for this node']
      expect(messageOf(await get(`/geo/retrieve/uploads/${id}`))).toEqual(outside)
      const refs = `/geo/git/project_repositories/${repository?.id}/info/refs?service=git-upload-pack`
      expect(messageOf(await get(refs))).toEqual(outside)
      for (const type of [
        'uploads',
        'project_repositories',
        'lfs_objects',
        'container_repositories',
        'project_wiki_repositories',
      ]) {
        expect(await itemsOf(type)).toEqual([])
      }
      expect((await get('/geo/replicables?type=snippet_repositories')).status).toBe(200)
      expect((await get('/geo/replicables?type=group_wiki_repositories')).status).toBe(200)
    }
    const below = await server.make.group('below', owner, { parent: group })
    await server.root.put(`/geo_sites/${nodeId}`, limits[0])
    const inside = (await owner.post('/projects', { name: 'inside', namespace_id: below.id })).body.id
    expect((await itemsOf('project_repositories')).map(({ project_id }) => project_id)).toEqual([inside])
    await server.root.put(`/geo_sites/${nodeId}`, { selective_sync_type: 'shards', selective_sync_shards: ['default'] })
    expect((await itemsOf('uploads')).map((item) => item.id)).toContain(id)
  })

  test('sends the refs of repositories for fetches only', async () => {
    const projectId = await newProject('fetched')
    const item = (await itemsOf('project_repositories')).find(({ project_id }) => project_id === projectId)
    const path = `/geo/git/project_repositories/${item?.id}`
    const refs = await get(`${path}/info/refs?service=git-upload-pack`)
    expect([refs.status, refs.headers.get('content-type')]).toEqual([
      200,
      'application/x-git-upload-pack-advertisement',
    ])
    expect(messageOf(await get(`${path}/info/refs?service=git-receive-pack`))).toEqual([403, '403 Forbidden'])
    expect((await get(`${path}/info/refs`)).body.error).toBe('service is missing')
    expect(messageOf(await get('/geo/git/uploads/1/info/refs?service=git-upload-pack'))).toEqual([404, '404 Not found'])
    const other = await get('/geo/git/project_repositories/999999/info/refs?service=git-upload-pack')
    expect(messageOf(other)).toEqual([404, '404 Not found'])
  })

  test('decides what clients may read', async () => {
    const project = await newProject('decided')
    const { id, url } = await uploadTo(project, 'decided')
    await server.app.platform.jobs.drain()
    const decide = async (action: string, path: string, headers: object = {}) =>
      (await post('/geo/authorize', { action, path, headers })).body
    const basic = (person: Person) => ({
      authorization: `Basic ${Buffer.from(`x:${person.token}`).toString('base64')}`,
    })
    const stranger = await server.user('protocol-stranger')
    const git = '/protocol-owner/decided.git/info/refs'
    expect(await decide('git_read', git, basic(owner))).toMatchObject({
      ...{ allowed: true, type: 'project_repositories', checksum: '0'.repeat(64) },
    })
    expect(await decide('git_read', git, basic(stranger))).toMatchObject({ allowed: false, status: 404, type: null })
    expect(await decide('git_read', git)).toMatchObject({
      ...{ allowed: false, status: 401, www_authenticate: 'Basic realm="GitLab"' },
    })
    expect(await decide('git_read', '/nowhere')).toMatchObject({ allowed: false, status: 404 })
    const web = `/-/project/${project}${url}`
    const asOwner = { 'private-token': owner.token }
    expect(await decide('upload_read', web, asOwner)).toEqual({
      ...{ allowed: true, status: 200, body: null, www_authenticate: null },
      ...{ type: 'uploads', id, checksum: sha256('decided') },
    })
    expect(await decide('upload_read', `${web}?private_token=${owner.token}`)).toMatchObject({ allowed: true })
    expect(await decide('upload_read', web, { 'private-token': stranger.token })).toMatchObject({
      ...{ allowed: false, status: 404, body: '{"message":"404 Not Found"}' },
    })
    expect(await decide('upload_read', '/-/project/1/uploads/%zz/%zz', asOwner)).toMatchObject({ allowed: false })
    expect(await decide('admin', '/', asOwner)).toMatchObject({ allowed: false, status: 403 })
    expect(await decide('admin', '/', { 'private-token': server.rootToken })).toMatchObject({ allowed: true, id: null })
    expect(await decide('admin', '/', { 'private-token': 'nonsense' })).toMatchObject({ allowed: false, status: 401 })
    const statusOf = async (action: string) => (await post('/geo/authorize', { action, path: '/', headers: {} })).status
    expect([await statusOf('admin'), await statusOf('push')]).toEqual([200, 400])
  })
})

test('a server that is no primary records nothing', async () => {
  await removeNodes(server)
  const { database } = server.app.platform
  const eventCount = async () => (await database.read.selectFrom('geo_events').select('id').execute()).length
  const before = await eventCount()
  const projectId = await newProject('unrecorded')
  await uploadTo(projectId, 'x')
  expect(await eventCount()).toBe(before)
})
