import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  type ProjectWithMembers,
  projectWithMembers,
  queriesOf,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { type RegistryRows, registryRows } from './testing.ts'

let server: TestServer
let people: ProjectWithMembers
let rows: RegistryRows
let host: string
let list: string

beforeAll(async () => {
  server = await startTestServer()
  people = await projectWithMembers(server)
  rows = registryRows(server)
  host = new URL(server.app.platform.externalUrl).host
  list = `/projects/${people.project.id}/registry/repositories`
})
afterAll(() => server.stop())

const idsOf = ({ body }: Answer): number[] => body.map(({ id }: { id: number }) => id)

describe('the repositories of a project', () => {
  test('are listed with their tags and the number of tags on request', async () => {
    const { project, reporter } = people
    expect(await reporter.get(list)).toMatchObject({ status: 200, body: [] })
    const web = await rows.repository(project, 'web')
    await rows.image(web, 'a', { tags: ['v1', 'latest', 'B'] })
    const root = await rows.repository(project)
    const found = await reporter.get(`${list}?tags=true&tags_count=1`)
    const path = `${people.path}/web`
    expect(found.body[0]).toEqual({
      id: web,
      name: 'web',
      path,
      project_id: project.id,
      location: `${host}/${path}`,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      cleanup_policy_started_at: null,
      tags_count: 3,
      tags: ['B', 'latest', 'v1'].map((name) => ({
        name,
        path: `${path}:${name}`,
        location: `${host}/${path}:${name}`,
      })),
      status: null,
    })
    const shown = await reporter.get(`/projects/${project.id}`)
    expect(shown.body.container_registry_image_prefix).toBe(`${host}/${people.path}`)
    expect(found.body[1]).toMatchObject({ id: root, name: '', path: people.path, tags_count: 0, tags: [] })
    const plain = await reporter.get(`${list}?size=true`)
    expect(Object.keys(plain.body[0])).toEqual([
      'id',
      'name',
      'path',
      'project_id',
      'location',
      'created_at',
      'cleanup_policy_started_at',
      'status',
    ])
  })

  test('are paginated by id, in every status', async () => {
    const { project, owner } = await projectWithMembers(server)
    const ids: number[] = []
    for (const name of ['c', 'b', 'a']) ids.push(await rows.repository(project, name))
    await rows.change(ids[1] ?? 0, { status: 'delete_failed' })
    const path = `/projects/${project.id}/registry/repositories`
    const first = await owner.get(`${path}?per_page=2`)
    expect(idsOf(first)).toEqual(ids.slice(0, 2))
    expect(first.body[1].status).toBe('delete_failed')
    expect(first.headers.get('x-total')).toBe('3')
    expect(first.headers.get('x-next-page')).toBe('2')
    expect(idsOf(await owner.get(`${path}?per_page=2&page=2`))).toEqual(ids.slice(2))
    expect((await owner.get(`${path}?per_page=2&page=9`)).body).toEqual([])
  })

  test('refuse a flag that is none, and keyset pagination', async () => {
    expect(await people.owner.get(`${list}?tags=maybe`)).toMatchObject({
      status: 400,
      body: { message: { tags: ['is invalid'] }, error: 'tags is invalid' },
    })
    expect((await people.owner.get(`${list}?pagination=keyset`)).status).toBe(405)
  })

  test('are shown to callers that may pull', async () => {
    const open = await projectWithMembers(server, { visibility: 'public', path: 'open' })
    const path = `/projects/${open.project.id}/registry/repositories`
    const outcomes = async () =>
      Promise.all(
        [server.anonymous, open.outsider, open.guest, open.reporter].map(async (one) => (await one.get(path)).status),
      )
    expect(await outcomes()).toEqual([200, 200, 200, 200])
    await rows.setLevel(open.project, 'private')
    expect(await outcomes()).toEqual([403, 403, 403, 200])
    expect((await open.guest.get(path)).body).toEqual({ message: '403 Forbidden' })
    await rows.setLevel(open.project, 'disabled')
    expect(await outcomes()).toEqual([403, 403, 403, 403])
    expect((await server.root.get(path)).status).toBe(403)
  })

  test('follow a renamed project and a transferred group at once', async () => {
    const { owner } = people
    const [one, other] = [await server.make.group('one', owner), await server.make.group('other', owner)]
    const project = await server.make.project('Moving', owner, { namespace: one })
    const id = await rows.repository(project, 'web')
    await rows.image(id, 'moving', { tags: ['v1'] })
    const path = async () => (await owner.get(`/registry/repositories/${id}?tags=true`)).body
    expect(await path()).toMatchObject({ path: 'one/moving/web' })
    await owner.put(`/projects/${project.id}`, { path: 'Renamed' })
    expect(await path()).toMatchObject({ path: 'one/renamed/web' })
    expect((await owner.put(`/projects/${project.id}/transfer`, { namespace: other.id })).status).toBe(200)
    expect(await path()).toMatchObject({ path: 'other/renamed/web', project_id: project.id })
    expect((await owner.post(`/groups/${other.id}/transfer`, { group_id: one.id })).status).toBe(201)
    expect(await path()).toMatchObject({
      path: 'one/other/renamed/web',
      tags: [{ location: `${host}/one/other/renamed/web:v1` }],
    })
  })

  test('take a constant number of queries', async () => {
    const { project, owner } = await projectWithMembers(server)
    const path = `/projects/${project.id}/registry/repositories`
    const ask = () => owner.get(`${path}?tags=true&tags_count=true&per_page=100`)
    const fill = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        const id = await rows.repository(project, `r${count}-${index}`)
        await rows.image(id, `image ${count} ${index}`, { tags: ['a', 'b'], layers: { shared: 10 } })
      }
    }
    await fill(2)
    const few = await queriesOf(server, ask)
    await fill(20)
    expect((await ask()).body).toHaveLength(22)
    expect(await queriesOf(server, ask)).toBe(few)
  })
})

test('more tags than are held in memory are streamed, with the same members and headers', async () => {
  const { project, owner } = await projectWithMembers(server)
  const [many, few] = [await rows.repository(project, 'many'), await rows.repository(project, 'few')]
  const names = Array.from({ length: 10_001 }, (_, index) => `t${String(index).padStart(5, '0')}`)
  await rows.image(few, 'few', { tags: ['v1'] })
  const path = `/projects/${project.id}/registry/repositories?tags=true&tags_count=true&per_page=2`
  const manifest = await rows.image(many, 'many', { tags: names.slice(1) })
  const inMemory = await owner.get(`${path}&per_page=1`)
  await rows.tag(many, manifest, names.slice(0, 1))
  const streamed = await owner.get(path)
  expect(streamed.body.map((one: object) => Object.keys(one))).toEqual(
    Array.from({ length: 2 }, () => Object.keys(inMemory.body[0])),
  )
  const [first, second] = streamed.body
  expect(first.tags.map(({ name }: { name: string }) => name)).toEqual(names)
  expect(first.tags.slice(1)).toEqual(inMemory.body[0].tags)
  expect(second.tags).toEqual([expect.objectContaining({ path: `${project.full_path}/few:v1` })])
  expect([first.tags_count, second.tags_count]).toEqual([10_001, 1])
  expect([streamed.headers.get('x-total'), streamed.headers.get('x-per-page')]).toEqual(['2', '2'])
  expect(streamed.headers.get('content-type')).toBe('application/json')
  const single = await owner.get(`/registry/repositories/${many}?tags=true`)
  expect(single.body.tags).toHaveLength(10_001)
  expect(Object.keys(single.body).slice(-3)).toEqual(['tags', 'delete_api_path', 'status'])
  const queries = await queriesOf(server, () => owner.get(path))
  await rows.tag(
    many,
    manifest,
    names.slice(0, 5000).map((name) => `u${name}`),
  )
  expect(await queriesOf(server, () => owner.get(path))).toBe(queries)
})

describe('the repositories of a group', () => {
  test('are those of all projects below it whose registry is not disabled', async () => {
    const { owner, reporter, guest } = people
    const namespace = await server.make.group('above', owner, { visibility: 'public' })
    const below = await server.make.group('below', owner, { parent: namespace, visibility: 'public' })
    await server.make.member({ namespace }, reporter, 20)
    await server.make.member({ namespace }, guest, 10)
    const ids: number[] = []
    for (const [index, place] of [below, namespace, below].entries()) {
      const project = await server.make.project(`p${index}`, owner, { namespace: place })
      ids.push(await rows.repository(project, 'web'))
      if (index === 1) await rows.setLevel(project, 'private')
      if (index === 2) await rows.setLevel(project, 'disabled')
    }
    await rows.image(ids[0] ?? 0, 'in a group', { tags: ['v1'] })
    const path = `/groups/${namespace.id}/registry/repositories`
    const found = await reporter.get(`${path}?tags=true&tags_count=true`)
    expect(idsOf(found)).toEqual(ids.slice(0, 2))
    expect(found.body[0]).toMatchObject({ path: 'above/below/p0/web' })
    expect(found.body[0]).not.toHaveProperty('tags')
    expect(found.body[0]).not.toHaveProperty('tags_count')
    expect(idsOf(await reporter.get(`${path}?per_page=1&page=2`))).toEqual(ids.slice(1, 2))
    expect(idsOf(await reporter.get(`/groups/above%2Fbelow/registry/repositories`))).toEqual(ids.slice(0, 1))
    expect(await guest.get(path)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    expect(await server.anonymous.get(path)).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } })
    await server.app.platform.database.write((tx) =>
      tx.updateTable('namespaces').set({ visibility: 'private' }).where('id', '=', namespace.id).execute(),
    )
    expect(await server.anonymous.get(path)).toMatchObject({ status: 404, body: { message: '404 Group Not Found' } })
  })
})

describe('a repository by its id', () => {
  test('has its size and, for maintainers, the address for its deletion', async () => {
    const { project, maintainer, developer } = people
    const id = await rows.repository(project, 'sized')
    const path = `/registry/repositories/${id}`
    expect((await developer.get(`${path}?size=true`)).body.size).toBe(0)
    const [x, y] = [
      await rows.image(id, 'x', { layers: { common: 100, x: 1 } }),
      await rows.image(id, 'y', { layers: { common: 100, y: 20 }, tags: ['v1', 'v2'] }),
    ]
    expect((await developer.get(`${path}?size=true`)).body.size).toBe(120)
    await rows.image(id, 'index', { children: [x, y], tags: ['all'] })
    const answer = await developer.get(`${path}?size=true&tags_count=true&tags=true`)
    expect(answer.body).toMatchObject({ id, size: 121, tags_count: 3, status: null })
    expect(answer.body).not.toHaveProperty('delete_api_path')
    expect((await maintainer.get(path)).body).toMatchObject({
      delete_api_path: `${server.app.platform.externalUrl}/api/v4/projects/${project.id}/registry/repositories/${id}`,
    })
  })

  test('is 404 where there is none or its project is invisible, 403 where it may not be read, 401 without a user', async () => {
    const { project, owner, guest, outsider } = people
    const id = await rows.repository(project, 'hidden')
    const path = `/registry/repositories/${id}`
    const missing = { status: 404, body: { message: '404 Not found' } }
    const odd = ['99999999', '0', '-1', 'abc', '1.5', '%2F', '..%2F1', '9'.repeat(40), '%F0%9F%92%A5']
    for (const unknown of odd) expect(await owner.get(`/registry/repositories/${unknown}`)).toMatchObject(missing)
    expect(await outsider.get(path)).toMatchObject(missing)
    expect(await guest.get(path)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    expect(await server.anonymous.get(path)).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } })
    expect((await owner.get(`${path}?size=many`)).body.error).toBe('size is invalid')
  })
})

test('an instance without a registry refuses the operations', async () => {
  await using without = await startTestServer({ settings: { FENNEC_REGISTRY: 'false' } })
  const made = await projectWithMembers(without)
  const repositories = `/projects/${made.project.id}/registry/repositories`
  const forbidden = { status: 403, body: { message: '403 Forbidden' } }
  for (const path of [repositories, `${repositories}/1/tags`, `${repositories}/1/tags/v1`]) {
    expect(await without.root.get(path)).toMatchObject(forbidden)
  }
  for (const path of [`${repositories}/1`, `${repositories}/1/tags?name_regex=.*`, `${repositories}/1/tags/v1`]) {
    expect(await without.root.delete(path)).toMatchObject(forbidden)
  }
  expect((await without.root.get('/projects/99999999/registry/repositories')).status).toBe(404)
  expect((await without.root.get(`/projects/${made.project.id}`)).body).not.toHaveProperty(
    'container_registry_image_prefix',
  )
})
