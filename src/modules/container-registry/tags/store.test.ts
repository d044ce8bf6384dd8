import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import {
  countTags,
  pageOfTags,
  removeTag,
  repositorySizes,
  tagDetail,
  tagDetailsAfter,
  tagNames,
  tagNamesAfter,
} from './store.ts'
import { digestOf, imageRowsOf } from './testing.ts'

let server: TestServer
let owner: Person
let make: ReturnType<typeof imageRowsOf>
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  make = imageRowsOf(server)
})
afterAll(() => server.stop())

const read = () => server.app.platform.database.read
const names = ['A', 'B.1', '_', 'a', 'b-2', 'latest']

test('tags are listed in byte order, by page and after a name', async () => {
  const repository = await make.repository(await server.make.project('ordered', owner))
  await make.image(repository, 'one', { tags: [...names].reverse() })
  const page = { kind: 'offset', page: 2, perPage: 4, offset: 4, limit: 4 } as const
  const { items, total } = await pageOfTags(read(), repository, page)
  expect([items.map(({ name }) => name), total]).toEqual([['b-2', 'latest'], 6])
  expect(await tagNamesAfter(read(), repository, { limit: 100 })).toEqual(names)
  expect(await tagNamesAfter(read(), repository, { last: 'B.1', limit: 2 })).toEqual(['_', 'a'])
  expect(await tagNamesAfter(read(), repository, { last: 'Z', limit: 2 })).toEqual(['_', 'a'])
  expect(await tagNamesAfter(read(), repository, { last: 'a', limit: 2, sort: 'desc' })).toEqual(['_', 'B.1'])
  const details = await tagDetailsAfter(read(), repository, { last: 'a', limit: 5 })
  expect(details.map(({ name }) => name)).toEqual(['b-2', 'latest'])
})

test('the details of a tag are those of its manifest, with its own date when the image has none', async () => {
  const repository = await make.repository(await server.make.project('detailed', owner))
  const before = server.app.platform.clock.now().toISOString()
  const id = await make.image(repository, 'dated', {
    tags: ['v1'],
    layers: { x: 10, y: 20 },
    imageCreatedAt: '2020-01-02T03:04:05.006Z',
  })
  await make.image(repository, 'undated', { tags: ['v2'] })
  expect(await tagDetail(read(), repository, 'v1')).toEqual({
    name: 'v1',
    manifest_id: id,
    digest: digestOf('dated'),
    media_type: 'application/vnd.oci.image.manifest.v1+json',
    config_digest: digestOf('config of dated'),
    total_size: 30,
    created_at: '2020-01-02T03:04:05.006Z',
    published_at: expect.any(String),
  })
  expect((await tagDetail(read(), repository, 'v2'))?.created_at.localeCompare(before)).toBeGreaterThanOrEqual(0)
  for (const unknown of ['v3', 'V1', '', '.*', 'v%']) expect(await tagDetail(read(), repository, unknown)).toBeNull()
})

test('numbers, names and sizes of many repositories take one query each', async () => {
  const project = await server.make.project('counted', owner)
  const full = await make.repository(project)
  const other = await make.repository(project, 'other')
  const empty = await make.repository(project, 'empty')
  const [amd, arm] = [
    await make.image(full, 'amd', { layers: { base: 100, amd: 5 } }),
    await make.image(full, 'arm', { layers: { base: 100, arm: 7 } }),
  ]
  const index = await make.image(full, 'index', { children: [amd, arm] })
  await make.image(full, 'nested', { children: [index, amd], tags: ['all', 'latest'] })
  await make.image(full, 'untagged', { layers: { lost: 1000 } })
  await make.image(other, 'other', { layers: { base: 100 }, tags: ['x'] })
  const ids = [full, other, empty]
  const { database } = server.app.platform
  const before = database.queryCount()
  expect(await countTags(database.read, ids)).toEqual(
    new Map([
      [full, 2],
      [other, 1],
    ]),
  )
  expect(await tagNames(database.read, ids)).toEqual(
    new Map([
      [full, ['all', 'latest']],
      [other, ['x']],
    ]),
  )
  expect(await repositorySizes(database.read, ids)).toEqual(
    new Map([
      [full, 112],
      [other, 100],
    ]),
  )
  expect(database.queryCount() - before).toBe(3)
})

test('a tag is removed only while it points at the manifest that was judged', async () => {
  const { database, clock } = server.app.platform
  const repositoryId = await make.repository(await server.make.project('removed', owner))
  const [old, young] = [
    await make.image(repositoryId, 'old'),
    await make.image(repositoryId, 'young', { tags: ['v1'] }),
  ]
  await make.tag(repositoryId, old, ['v2'])
  const now = clock.now().toISOString()
  const remove = (name: string, manifestId?: number) =>
    database.write((tx) => removeTag(tx, { repositoryId, name, manifestId, now }))
  expect(await remove('v1', old)).toBe(false)
  expect(await remove('absent')).toBe(false)
  expect(await Promise.all([remove('v1', young), remove('v1', young)])).toContain(false)
  expect(await tagNames(database.read, [repositoryId])).toEqual(new Map([[repositoryId, ['v2']]]))
  expect(await remove('v2')).toBe(true)
})
