/** What the primary sends of its items: files, images and repositories. */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bytesAt, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { blobOf, registryOf } from '../../container-registry/http/testing.ts'
import { imageOf, ociManifest } from '../../container-registry/manifests/testing.ts'
import { uploadKeys } from '../../uploads/index.ts'
import { fileForm } from '../../uploads/testing.ts'
import { nodeByAccessKey } from '../nodes/store.ts'
import type { NodeRow } from '../tables.ts'
import { type Issued, makePrimary, makeSecondary, removeNodes, signedBy } from '../testing.ts'
import { geoRetrieve, geoRetrievePart } from './operations.ts'
import { retrieve } from './retrieve.ts'

let server: TestServer
let owner: Person
let credentials: Issued

beforeAll(async () => {
  server = await startTestServer()
  await makePrimary(server)
  credentials = (await makeSecondary(server.root, { name: 'second', url: 'http://second.test' })).credentials
  owner = await server.user('owner')
})
afterAll(async () => {
  await removeNodes(server)
  await server.stop()
})

const get = (path: string) => server.anonymous.get(path, signedBy(credentials))
const fileGone = { geo_code: 'FILE_NOT_FOUND', message: '404 Not found' }

describe('a file', () => {
  async function newUpload(name: string): Promise<number> {
    const { id } = await server.make.project(name, owner)
    return (await owner.post(`/projects/${id}/uploads`, fileForm('a.txt', name))).body.id
  }

  /** Makes the checksums unknown once they are all computed. */
  async function forgetChecksums(): Promise<void> {
    const { database, jobs } = server.app.platform
    await jobs.drain()
    await database.write((tx) => tx.deleteFrom('geo_checksums').execute())
  }

  test.each(['unknown', 'known'])('that is gone has an answer of its own while its checksum is %s', async (state) => {
    const id = await newUpload(`gone-${state}`)
    await (state === 'unknown' ? forgetChecksums() : server.app.platform.jobs.drain())
    const { objects, database } = server.app.platform
    const key = (await uploadKeys(database.read, [id])).get(id)
    if (key) await objects.delete(key)
    const answer = await get(`/geo/retrieve/uploads/${id}`)
    expect([answer.status, answer.body]).toEqual([404, fileGone])
  })

  test('that cannot be read is not called gone', async () => {
    const id = await newUpload('unreadable')
    await forgetChecksums()
    const { platform } = server.app
    const node = (await nodeByAccessKey(platform.database.read, credentials.access_key)) as NodeRow
    const objects = { get: () => Promise.reject(new Error('unreadable')) } as never
    const answer = retrieve({ ...platform, objects }, node, { type: 'uploads', id }, {} as never)
    await expect(answer).rejects.toThrow('unreadable')
  })

  test('has a documented type', async () => {
    const { headers } = await get(`/geo/retrieve/uploads/${await newUpload('typed')}`)
    expect(geoRetrieve.result[1].mediaType).toContain(headers.get('content-type'))
  })
})

test('an image is sent by its parts', async () => {
  await server.make.project('images', owner)
  const [config, layer] = [blobOf('{}'), blobOf('a layer')]
  const manifest = blobOf(imageOf(config, [layer]))
  const registry = registryOf(server)
  const scope = 'owner/images:pull,push' as const
  for (const { digest, content } of [config, layer]) {
    await registry.send('POST', `owner/images/blobs/uploads/?digest=${digest}`, { scope, body: content })
  }
  const headers = { 'Content-Type': ociManifest }
  const put = { scope, headers, body: manifest.content }
  expect((await registry.send('PUT', 'owner/images/manifests/1', put)).status).toBe(201)
  const [{ id }] = (await get('/geo/replicables?type=container_repositories')).body
  const path = `/geo/retrieve/container_repositories/${id}`
  const contents = await get(path)
  expect(contents.body).toMatchObject({ name: 'owner/images', tags: [{ name: '1', digest: manifest.digest }] })
  expect(geoRetrieve.result[1].mediaType).toContain(contents.headers.get('content-type'))
  const part = async (kind: string, digest: string) => {
    const answer = await bytesAt(server.anonymous, `${path}/${kind}/${digest}`, signedBy(credentials).headers)
    return [answer.status, answer.status === 200 ? answer.headers.get('content-type') : null, String(answer.bytes)]
  }
  const sentAs = 'application/octet-stream'
  expect(geoRetrievePart.result[1].mediaType).toContain(sentAs)
  expect(await part('manifests', manifest.digest)).toEqual([200, sentAs, String(manifest.content)])
  expect(await part('blobs', layer.digest)).toEqual([200, sentAs, 'a layer'])
  for (const [kind, digest] of [
    ['blobs', manifest.digest],
    ['manifests', layer.digest],
    ['others', manifest.digest],
    ['others', layer.digest],
    ['blobs', 'sha256:x'],
    ['manifests', 'sha256:x'],
  ] as const) {
    expect(await part(kind, digest)).toEqual([404, null, '{"message":"404 Not found"}'])
  }
})

describe('a fetch', () => {
  const pkt = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`

  /** The path of a repository with a commit, and a request that lists its refs by version 2 of the protocol of git. */
  async function newRepository(name: string) {
    const { id } = (await owner.post('/projects', { name, initialize_with_readme: true })).body
    const items = (await get('/geo/replicables?type=project_repositories')).body
    const item = items.find(({ project_id }: { project_id: number }) => project_id === id)
    return `/geo/git/project_repositories/${item.id}/git-upload-pack`
  }
  const lsRefs = `${pkt('command=ls-refs\n')}0001${pkt('ref-prefix refs/heads/\n')}0000`

  async function fetchOf(path: string, body: Buffer | null, headers: Record<string, string> = {}) {
    const all = { ...signedBy(credentials).headers, 'Git-Protocol': 'version=2', ...headers }
    const answer = await fetch(`${server.url}/api/v4${path}`, { method: 'POST', headers: all, body: body as never })
    return [answer.status, answer.headers.get('content-type'), await answer.text()]
  }

  test('is read as it is or compressed, and answers an empty request with nothing', async () => {
    const path = await newRepository('fetched')
    const type = 'application/x-git-upload-pack-result'
    const plain = await fetchOf(path, Buffer.from(lsRefs))
    expect(plain).toEqual([200, type, expect.stringMatching(/^003d[0-9a-f]{40} refs\/heads\/main\n0000$/)])
    expect(await fetchOf(path, gzipSync(lsRefs), { 'Content-Encoding': 'gzip' })).toEqual(plain)
    expect(await fetchOf(path, null)).toEqual([200, type, ''])
  })
})
