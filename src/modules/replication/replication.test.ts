/** Two servers: changes of the primary reach the secondary, which verifies its copies and serves reads (contract 15). */
import { createHash } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseOid, refName } from '../../infra/git/index.ts'
import { parseStorageKey } from '../../infra/objects/index.ts'
import { repositoryById } from '../../platform/repositories/index.ts'
import {
  clientOf,
  git,
  httpUrl,
  openWorkTree,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
  type WorkTree,
} from '../../testing/index.ts'
import { blobOf, registryOf } from '../container-registry/http/testing.ts'
import { imageOf, ociManifest } from '../container-registry/manifests/testing.ts'
import { siteKeys, sitesOfProject } from '../pages/index.ts'
import { publishFor } from '../pages/testing.ts'
import { secureFileKeys } from '../secure-files/index.ts'
import { stateVersionKeys } from '../terraform-states/index.ts'
import { uploadKeys } from '../uploads/index.ts'
import { fileForm } from '../uploads/testing.ts'
import { repositoryOf } from './copies/copies.ts'
import { type Link, linkTo, makePrimary, makeSecondary, secondarySettings } from './testing.ts'
import type { ReplicableType } from './types.ts'

const patience = { interval: 100 }
let primary: TestServer
let secondary: TestServer
let link: Link
let nodeId: number
let owner: Person
let tree: WorkTree
let uploadPath: string

beforeAll(async () => {
  primary = await startTestServer({})
  await makePrimary(primary)
  const { id, credentials } = await makeSecondary(primary.root, { name: 'second', url: 'http://second.test' })
  nodeId = id
  link = await linkTo(primary.url)
  secondary = await startTestServer({ settings: secondarySettings(link, credentials) })
  owner = await primary.user('owner')
  tree = await openWorkTree(primary, await primary.make.project('p', owner))
})
afterAll(async () => {
  await tree?.[Symbol.asyncDispose]()
  await secondary?.stop()
  await link?.[Symbol.asyncDispose]()
  await primary?.stop()
})

/** What the primary shows of the secondary. */
const reported = async () => (await primary.root.get(`/geo_sites/${nodeId}/status`)).body
/** What the secondary says of itself, asked by an administrator of the primary. */
const own = async () => (await clientOf(secondary.url, primary.rootToken).get('/geo_sites/current/status')).body

const allOf = (type: ReplicableType, count: number) => ({
  [`${type}_count`]: count,
  [`${type}_synced_count`]: count,
  [`${type}_verified_count`]: count,
  [`${type}_failed_count`]: 0,
  [`${type}_verification_failed_count`]: 0,
  [`${type}_verified_in_percentage`]: count === 0 ? '0.00%' : '100.00%',
})

const change = (changes: object) => primary.root.put(`/geo_sites/${nodeId}`, changes)
const servedBy = (headers: Headers) => headers.get('x-fennec-geo-served')

const replicas = (type: ReplicableType) =>
  secondary.app.platform.database.read.selectFrom('geo_replicas').selectAll().where('type', '=', type).execute()

/** Lets the copies of a type appear as verified long ago. */
const makeOld = (type: ReplicableType) =>
  secondary.app.platform.database.write(async (tx) => {
    await tx
      .updateTable('geo_replicas')
      .set({ verified_at: '2000-01-01T00:00:00.000Z' })
      .where('type', '=', type)
      .execute()
  })

const refsOf = async (url: string) => (await git(tree.folder, 'ls-remote', httpUrl({ url }, owner, 'owner/p'))).stdout

test('everything is copied and verified, and both servers say so', async () => {
  await tree.commit('first', { 'a.txt': 'a' })
  expect((await tree.push(owner, 'main', 'main:topic')).isAccepted).toBe(true)
  await owner.post(`${tree.base}/wikis`, { title: 'home', content: 'welcome' })
  await owner.post(`${tree.base}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'x' })
  await owner.post('/snippets', {
    ...{ title: 's', visibility: 'private' },
    files: [{ file_path: 'a', content: 'b' }],
  })
  const uploaded = await owner.post(`${tree.base}/uploads`, fileForm('a b.txt', 'bytes of an upload'))
  uploadPath = `/-/project/${tree.project.id}${uploaded.body.url}`
  const object = 'bytes of a large file'
  const oid = createHash('sha256').update(object).digest('hex')
  const stored = await fetch(`${primary.url}/owner/p.git/gitlab-lfs/objects/${oid}/${object.length}`, {
    method: 'PUT',
    headers: { Authorization: `Basic ${btoa(`owner:${owner.token}`)}`, 'Content-Type': 'application/octet-stream' },
    body: object,
  })
  expect(stored.status).toBe(200)
  const registry = registryOf(primary)
  const scope = 'owner/p/img:pull,push' as const
  const [config, layer] = [blobOf('{}'), blobOf('a layer')]
  for (const blob of [config, layer]) {
    await registry.send('POST', `owner/p/img/blobs/uploads/?digest=${blob.digest}`, { scope, body: blob.content })
  }
  const headers = { 'Content-Type': ociManifest }
  const pushed = await registry.send('PUT', 'owner/p/img/manifests/1', {
    ...{ scope, headers },
    body: Buffer.from(imageOf(config, [layer])),
  })
  expect(pushed.status).toBe(201)
  await expect.poll(reported, patience).toMatchObject({
    ...allOf('project_repositories', 1),
    ...allOf('project_wiki_repositories', 1),
    ...allOf('snippet_repositories', 1),
    ...allOf('uploads', 1),
    ...allOf('lfs_objects', 1),
    ...allOf('container_repositories', 1),
    ...{ projects_count: 1, repositories_count: 1, repositories_synced_count: 1, attachments_synced_count: 1 },
    ...{ healthy: true, health: 'Healthy', health_status: 'Healthy', missing_oauth_application: false },
    ...{ db_replication_lag_seconds: 0, storage_shards_match: true, uploads_checksummed_count: null },
  })
  const itself = (await primary.root.get('/geo_nodes/current/status')).body
  expect(itself).toMatchObject({
    ...{ uploads_synced_count: null, uploads_checksummed_count: 1, project_repositories_checksummed_count: 1 },
    ...{ replication_slots_count: 1, replication_slots_used_count: 1, replication_slots_used_in_percentage: '100.00%' },
  })
  expect(await own()).toMatchObject({
    ...{ geo_node_id: nodeId, ...allOf('uploads', 1), replication_slots_count: null },
    cursor_last_event_id: itself.last_event_id,
    _links: { self: `${link.url}/api/v4/geo_sites/${nodeId}/status` },
  })
})

test('reads are answered from the copies for those who may read', async () => {
  const as = clientOf(secondary.url, owner.token)
  const file = await as.get(uploadPath)
  expect([file.status, file.body, servedBy(file.headers)]).toEqual([200, 'bytes of an upload', 'local'])
  expect(file.headers.get('x-fennec-geo-node')).toBe('second')
  const again = await as.get(uploadPath, { headers: { 'If-None-Match': file.headers.get('etag') ?? '' } })
  expect([again.status, servedBy(again.headers)]).toEqual([304, 'local'])
  expect((await as.get(uploadPath, { headers: { Range: 'bytes=0-4' } })).body).toBe('bytes')
  const stranger = await primary.user('stranger')
  const refused = await clientOf(secondary.url, stranger.token).get(uploadPath)
  expect([refused.status, refused.body]).toEqual([404, (await stranger.get(uploadPath)).body])
  expect(await refsOf(secondary.url)).toBe(await refsOf(primary.url))
  const authorization = (person: Person) => `Basic ${Buffer.from(`x:${person.token}`).toString('base64')}`
  const advertised = (person: Person) =>
    clientOf(secondary.url).get('root:/owner/p.git/info/refs?service=git-upload-pack', {
      headers: { Authorization: authorization(person) },
    })
  expect(servedBy((await advertised(owner)).headers)).toBe('local')
  const denied = await advertised(stranger)
  expect([denied.status, denied.body]).toEqual([
    404,
    "The project you were looking for could not be found or you don't have permission to view it.",
  ])
  const anonymous = await clientOf(secondary.url).get('root:/owner/p.git/info/refs?service=git-upload-pack')
  expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="GitLab"'])
  await using clone = await temporaryDirectory()
  expect((await git(clone.path, 'clone', '--quiet', httpUrl(secondary, owner, 'owner/p'), 'c')).code).toBe(0)
  const { digest } = blobOf('a layer')
  const token = await registryOf(primary).tokenFor(['owner/p/img:pull'])
  const pull = (path: string, bearer: string) =>
    clientOf(secondary.url).get(`root:/v2/owner/p/img/${path}`, { headers: { Authorization: `Bearer ${bearer}` } })
  const layer = await pull(`blobs/${digest}`, token)
  expect([layer.status, layer.body, servedBy(layer.headers)]).toEqual([200, 'a layer', 'local'])
  const byTag = await pull('manifests/1', token)
  expect([byTag.status, servedBy(byTag.headers)]).toEqual([200, 'primary'])
  const byDigest = await pull(`manifests/${byTag.headers.get('docker-content-digest')}`, token)
  expect([byDigest.headers.get('content-type'), servedBy(byDigest.headers)]).toEqual([ociManifest, 'local'])
  const foreign = await registryOf(primary).tokenFor(['owner/other:pull'])
  expect((await pull(`blobs/${digest}`, foreign)).status).toBe(401)
})

test('everything else is passed on to the primary', async () => {
  const as = clientOf(secondary.url, owner.token)
  const issue = await as.post(`${tree.base}/issues`, { title: 'through the secondary' })
  expect([issue.status, servedBy(issue.headers)]).toEqual([201, 'primary'])
  expect((await owner.get(`${tree.base}/issues`)).body).toHaveLength(1)
  const missing = await as.get('/projects/999999')
  expect([missing.status, missing.body]).toEqual([404, { message: '404 Project Not Found' }])
  const loop = await as.get('/user', { headers: { 'X-Fennec-Geo-Proxied': 'third' } })
  expect([loop.status, loop.body]).toEqual([400, { message: '400 Bad request - Proxy loop' }])
  await tree.commit('second', { 'b.txt': 'b' })
  const pushed = await git(tree.folder, 'push', httpUrl(secondary, owner, 'owner/p'), 'main')
  expect(pushed.code, pushed.stderr).toBe(0)
  // The copy may be old still; the answer is not.
  expect(await refsOf(secondary.url)).toContain(await tree.run('rev-parse', 'HEAD'))
  await expect.poll(reported, patience).toMatchObject(allOf('project_repositories', 1))
  await expect.poll(async () => (await own()).git_push_event_count_weekly).toBe(1)
  const { database } = secondary.app.platform
  expect(await database.read.selectFrom('users').selectAll().execute()).toEqual([])
  expect(await database.read.selectFrom('issues').selectAll().execute()).toEqual([])
  expect((await clientOf(secondary.url, owner.token).get('/geo_nodes/current/status')).status).toBe(403)
  expect((await clientOf(secondary.url).get('/geo_nodes/current/failures')).status).toBe(401)
})

test('damaged copies are found and replaced', async () => {
  const { platform } = secondary.app
  const [file] = await replicas('uploads')
  await platform.objects.put(parseStorageKey(file?.location ?? ''), Readable.from(['bytes of an uplaod']))
  const [copy] = await replicas('project_repositories')
  const damaged = repositoryOf(platform, copy?.location ?? '')
  const [ref, oid] = [refName('refs/heads/topic'), parseOid(await tree.run('rev-parse', 'HEAD'))]
  if (!ref || !oid) throw new Error('no ref')
  await expect.poll(async () => (await damaged.commits([oid])).has(oid), patience).toBe(true)
  await damaged.updateRefs([{ ref, old: null, new: oid }])
  for (const type of ['uploads', 'project_repositories'] as const) await makeOld(type)
  await expect.poll(async () => (await replicas('uploads'))[0]?.location, patience).not.toBe(file?.location)
  await expect
    .poll(async () => (await replicas('project_repositories'))[0]?.location, patience)
    .not.toBe(copy?.location)
  await expect
    .poll(reported, patience)
    .toMatchObject({ ...allOf('uploads', 1), ...allOf('project_repositories', 1), healthy: true })
  expect((await clientOf(secondary.url, owner.token).get(uploadPath)).body).toBe('bytes of an upload')
  expect(await refsOf(secondary.url)).toBe(await refsOf(primary.url))
  expect(await damaged.exists()).toBe(false)
})

test('secure files, Terraform states and sites are copied, and the copies go with them', async () => {
  const form = new FormData()
  form.set('name', 'key.p12')
  form.set('file', new File(['bytes of a key'], 'key.p12'))
  const { body: file } = await owner.post(`${tree.base}/secure_files`, form)
  const state = `${tree.base}/terraform/state/production`
  for (const serial of [1, 2, 2]) expect((await owner.post(state, { serial })).status).toBe(200)
  const archive = { 'public/index.html': 'a site' }
  for (const pathPrefix of [null, 'next']) {
    await publishFor(primary, tree.project.id, { archive, pages: { pathPrefix }, userId: owner.id })
  }
  const copied = () => ({
    ...{ ...allOf('ci_secure_files', 1), ...allOf('pages_deployments', 2), ...allOf('terraform_state_versions', 2) },
  })
  await expect.poll(reported, patience).toMatchObject(copied())
  const { database, objects } = primary.app.platform
  for (const [type, keys] of [
    ['ci_secure_files', secureFileKeys],
    ['pages_deployments', siteKeys],
    ['terraform_state_versions', stateVersionKeys],
  ] as const) {
    const rows = await replicas(type)
    const there = await keys(
      database.read,
      rows.map(({ replicable_id: id }) => id),
    )
    for (const { replicable_id: id, location } of rows) {
      const copy = await secondary.app.platform.objects.get(parseStorageKey(location ?? ''))
      const original = await objects.get(there.get(id) ?? parseStorageKey('none'))
      if (!copy || !original) throw new Error(`no copy of ${type} ${id}`)
      expect((await buffer(copy.stream)).equals(await buffer(original.stream))).toBe(true)
    }
  }
  // A site that is published again is another item.
  await publishFor(primary, tree.project.id, { archive, userId: owner.id })
  const newest = async () => (await replicas('pages_deployments')).map(({ replicable_id: id }) => id).toSorted()
  await expect.poll(newest, patience).toEqual((await sitesOfProject(database.read, tree.project.id)).toSorted())
  expect((await owner.delete(`${tree.base}/pages`)).status).toBe(204)
  expect((await owner.delete(`${tree.base}/secure_files/${file.id}`)).status).toBe(204)
  expect((await owner.delete(state)).status).toBe(200)
  const gone = {
    ...allOf('ci_secure_files', 0),
    ...allOf('pages_deployments', 0),
    ...allOf('terraform_state_versions', 0),
  }
  await expect.poll(reported, patience).toMatchObject(gone)
  const types = ['ci_secure_files', 'pages_deployments', 'terraform_state_versions'] as const
  expect(await Promise.all(types.map((type) => replicas(type)))).toEqual([[], [], []])
  // The pipelines of the sites have refs of their own.
  await expect.poll(reported, patience).toMatchObject(allOf('project_repositories', 1))
})

test('a failure is shown and repeated until it is repaired', async () => {
  const failures = (query = '') => clientOf(secondary.url, primary.rootToken).get(`/geo_nodes/current/failures${query}`)
  expect((await failures()).body).toEqual([])
  expect((await failures('?type=x')).body.message).toEqual({ type: ['does not have a valid value'] })
  expect((await failures('?failure_type=x')).body).toEqual({ message: '404 Failure type unknown Not Found' })
  const [copy] = await replicas('project_repositories')
  const { platform } = primary.app
  const row = await repositoryById(platform.database.read, copy?.replicable_id ?? 0)
  const directory = platform.git.repository({
    storage: 'default',
    diskPath: row?.disk_path as never,
  }).directory
  const away = `${directory}-away`
  await rename(directory, away)
  await platform.database.write(
    (tx) =>
      platform.reactions['repository.changed'][0]?.(platform, tx, { repositoryId: row?.id ?? 0 }) ?? Promise.resolve(),
  )
  const failed = async () => (await failures()).body[0]
  await expect.poll(async () => (await failed())?.repository_retry_count ?? 0, patience).toBeGreaterThan(1)
  expect(await failed()).toMatchObject({
    project_id: tree.project.id,
    last_repository_sync_failure: expect.stringMatching(/./),
    wiki_retry_count: 0,
    repository_checksum_mismatch: false,
  })
  expect((await reported()).healthy).toBe(true)
  await expect
    .poll(async () => (await primary.root.get('/geo_nodes/current/status')).body, patience)
    .toMatchObject({ project_repositories_checksum_failed_count: 1 })
  await rename(away, directory)
  await tree.commit('third', { 'c.txt': 'c' })
  await tree.push(owner, 'main')
  await expect.poll(reported, patience).toMatchObject(allOf('project_repositories', 1))
  expect((await failures()).body).toEqual([])
})

test('the secondary has what its record selects, as fast as its record allows', async () => {
  const group = await primary.make.group('g', owner)
  const inside = (await owner.post('/projects', { name: 'inside', namespace_id: group.id })).body
  await owner.post(`/projects/${inside.id}/uploads`, fileForm('b.txt', 'second'))
  await expect.poll(reported, patience).toMatchObject({ ...allOf('project_repositories', 2), ...allOf('uploads', 2) })
  await change({ selective_sync_type: 'namespaces', selective_sync_namespace_ids: [group.id] })
  await expect.poll(async () => (await replicas('uploads')).length, patience).toBe(1)
  await expect.poll(reported, patience).toMatchObject({
    ...{ ...allOf('uploads', 1), ...allOf('snippet_repositories', 1), projects_count: 1 },
    namespaces: [expect.objectContaining({ id: group.id })],
  })
  const kept = await Array.fromAsync(secondary.app.platform.objects.list(parseStorageKey('replicas/uploads')))
  expect(kept).toHaveLength(1)
  await change({ selective_sync_type: null, repos_max_capacity: 0 })
  await owner.post('/snippets', { title: 't', visibility: 'private', files: [{ file_path: 'a', content: 'b' }] })
  await expect.poll(reported, patience).toMatchObject({
    ...{ ...allOf('uploads', 2), snippet_repositories_count: 2, snippet_repositories_synced_count: 1 },
  })
  await change({ repos_max_capacity: 25 })
  await expect.poll(reported, patience).toMatchObject(allOf('snippet_repositories', 2))
  await primary.root.put('/application/settings', { deletion_adjourned_period: 0 })
  await owner.delete(`/projects/${inside.id}`)
  await expect.poll(reported, patience).toMatchObject({ ...allOf('uploads', 1), uploads_registry_count: 1 })
})

test('without its primary it says so, and comes back by itself', async () => {
  link.cut()
  const as = clientOf(secondary.url, owner.token)
  const refused = await as.get('/user')
  expect([refused.status, refused.body, refused.headers.get('retry-after')]).toEqual([
    503,
    {
      message:
        '503 Service Unavailable - This secondary cannot answer this request while its primary cannot be reached.',
    },
    '30',
  ])
  const pushed = await git(tree.folder, 'push', httpUrl(secondary, owner, 'owner/p'), 'main:cut')
  expect(pushed.code).not.toBe(0)
  expect(pushed.stderr).toContain('503')
  const fetched = await clientOf(secondary.url).get('root:/owner/p.git/info/refs?service=git-receive-pack')
  expect([fetched.status, fetched.body]).toEqual([
    503,
    'This secondary accepts no changes while its primary cannot be reached.',
  ])
  await tree.commit('meanwhile', { 'd.txt': 'd' })
  await tree.push(owner, 'main')
  link.restore()
  await expect.poll(async () => (await own())?.project_repositories_verified_count, patience).toBe(1)
  await expect.poll(async () => refsOf(secondary.url), patience).toContain(await tree.run('rev-parse', 'HEAD'))
  await expect.poll(reported, patience).toMatchObject({ ...allOf('project_repositories', 1), healthy: true })
})

test('a disabled node pauses, and one without credentials says so', async () => {
  await change({ enabled: false })
  const { body: late } = await owner.post(`${tree.base}/uploads`, fileForm('c.txt', 'while disabled'))
  await expect.poll(reported, patience).toMatchObject({ uploads_count: 2, uploads_synced_count: 1 })
  expect(await own()).toMatchObject({ geo_node_id: nodeId, uploads_synced_count: 1 })
  expect((await clientOf(secondary.url, owner.token).get(uploadPath)).body).toBe('bytes of an upload')
  // The bytes are lost at the primary, which still has the record.
  const key = (await uploadKeys(primary.app.platform.database.read, [late.id])).get(late.id)
  if (key) await primary.app.platform.objects.delete(key)
  await change({ enabled: true })
  await expect.poll(reported, patience).toMatchObject({
    ...{ uploads_synced_count: 2, uploads_verified_count: 1, uploads_failed_count: 0 },
    attachments_synced_missing_on_primary_count: 1,
  })
  await primary.root.delete(`/geo_nodes/${nodeId}/credentials`)
  expect((await reported()).missing_oauth_application).toBe(true)
  const health = 'This node is not registered with the primary'
  await expect.poll(own, patience).toMatchObject({ geo_node_id: nodeId, healthy: false, health })
  expect((await clientOf(secondary.url, owner.token).get('/geo_sites/current/status')).status).toBe(403)
  const repaired = await primary.root.post(`/geo_nodes/${nodeId}/repair`)
  expect([repaired.status, repaired.body.missing_oauth_application]).toEqual([200, false])
})
