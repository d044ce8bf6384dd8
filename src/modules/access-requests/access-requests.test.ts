import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Client, type Person, queriesOf, startTestServer, type TestServer } from '../../testing/index.ts'

let server: TestServer
let owner: Person
let maintainer: Person
let developer: Person
let stranger: Person

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  maintainer = await server.user('maintainer')
  developer = await server.user('developer')
  stranger = await server.user('stranger')
})
afterAll(() => server.stop())

type Source = { kind: 'project' | 'group'; path: string; id: number }
let made = 0
let project: Source
let group: Source
let namespace: Awaited<ReturnType<TestServer['make']['group']>>
beforeEach(async () => {
  made += 1
  namespace = await server.make.group(`team${made}`, owner, { visibility: 'public' })
  await server.make.project('demo', owner, { namespace, visibility: 'public' })
  const own = await server.make.project(`own${made}`, owner, { visibility: 'public' })
  await server.make.member({ project: own }, maintainer, 40)
  await server.make.member({ project: own }, developer, 30)
  await server.make.member({ namespace }, developer, 30)
  project = { kind: 'project', path: `/projects/${own.id}`, id: own.id }
  group = { kind: 'group', path: `/groups/${namespace.id}`, id: namespace.id }
})

const requests = ({ path }: Source) => `${path}/access_requests`
const ask = (source: Source, person: Client = stranger) => person.post(requests(source))
const approve = (source: Source, person: Client, given: object = {}, user = stranger) =>
  person.put(`${requests(source)}/${user.id}/approve`, given)
const remove = (source: Source, person: Client, user = stranger) => person.delete(`${requests(source)}/${user.id}`)

const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const noRequest = { status: 404, body: { message: '404 Not found' } }
const refused = (field: string, text: string) => ({ status: 400, body: { message: { [field]: [text] } } })

/** The project and the group, each with who may manage its requests. */
const sources = (): [Source, Person][] => [
  [project, maintainer],
  [group, owner],
]

test('a request shows who asks, and is listed for managers until it is approved', async () => {
  for (const [source, manager] of sources()) {
    const made = await ask(source)
    expect(made).toMatchObject({ status: 201, body: { id: stranger.id, username: 'stranger', locked: false } })
    expect(made.body.created_at).toBe(made.body.requested_at)
    expect(await ask(source)).toMatchObject(refused('user_id', 'already exists in source'))
    const { body, headers } = await manager.get(requests(source))
    const { created_at, ...listed } = made.body
    expect([body, headers.get('x-total')]).toEqual([[listed], '1'])
    expect((await manager.get(`${source.path}/members/${stranger.id}`)).status).toBe(404)
    const approved = await approve(source, manager)
    expect(approved).toMatchObject({
      status: 200,
      body: { id: stranger.id, access_level: 30, created_at, requested_at: created_at, expires_at: null },
    })
    expect(approved.body).toMatchObject({ created_by: { id: manager.id }, membership_state: 'active' })
    expect((await manager.get(requests(source))).body).toEqual([])
    expect((await manager.get(`${source.path}/members/${stranger.id}`)).body.access_level).toBe(30)
    expect(await approve(source, manager)).toMatchObject(noRequest)
    expect(await remove(source, manager)).toMatchObject(noRequest)
    expect((await manager.get(`${source.path}/members/${stranger.id}`)).status).toBe(200)
  }
})

describe('asking', () => {
  test('is for signed-in users without a role', async () => {
    for (const [source] of sources()) {
      expect(await ask(source, server.anonymous)).toMatchObject(unauthorized)
      for (const person of [owner, developer, server.root]) expect(await ask(source, person)).toMatchObject(forbidden)
    }
    expect(await ask(project, maintainer)).toMatchObject(forbidden)
    const below = await server.make.project('below', owner, { namespace, visibility: 'public' })
    expect(await developer.post(`/projects/${below.id}/access_requests`)).toMatchObject(forbidden)
    expect((await ask({ ...project, path: `/projects/${below.id}` })).status).toBe(201)
  })

  test('needs a project or group that the caller can see', async () => {
    const hidden = await server.make.project(`hidden${made}`, owner, { visibility: 'private' })
    const secret = await server.make.group(`secret${made}`, owner, { visibility: 'private' })
    const message = (noun: string) => ({ status: 404, body: { message: `404 ${noun} Not Found` } })
    expect(await stranger.post(`/projects/${hidden.id}/access_requests`)).toMatchObject(message('Project'))
    expect(await stranger.post(`/groups/${secret.id}/access_requests`)).toMatchObject(message('Group'))
    const shared = await server.make.project(`shared${made}`, owner, { visibility: 'internal' })
    const external = await server.user(`external${made}`)
    await server.root.put(`/users/${external.id}`, { external: true })
    expect(await external.post(`/projects/${shared.id}/access_requests`)).toMatchObject(message('Project'))
    expect((await stranger.post(`/projects/${shared.id}/access_requests`)).status).toBe(201)
  })

  test('is refused to members with minimal access, and where requests are switched off', async () => {
    const minimal = await server.user(`minimal${made}`)
    await server.make.member({ namespace }, minimal, 5)
    expect(await ask(group, minimal)).toMatchObject(forbidden)
    for (const [source, manager] of sources()) {
      await manager.put(source.path, { request_access_enabled: false })
      expect(await ask(source)).toMatchObject(forbidden)
      await manager.put(source.path, { request_access_enabled: true })
      expect((await ask(source)).status).toBe(201)
      await manager.put(source.path, { request_access_enabled: false })
      expect((await approve(source, manager)).status).toBe(200)
    }
  })

  test('is refused in projects of a group that locks its memberships', async () => {
    const inside = (await owner.get(`${group.path}/projects`)).body[0]
    const source: Source = { kind: 'project', path: `/projects/${inside.id}`, id: inside.id }
    await owner.put(group.path, { membership_lock: true })
    expect(await ask(source)).toMatchObject(forbidden)
    expect((await ask(group)).status).toBe(201)
  })

  test('twice at once makes one request', async () => {
    for (const [source, manager] of sources()) {
      const answers = await Promise.all([ask(source), ask(source), ask(source)])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400])
      expect((await manager.get(requests(source))).body).toHaveLength(1)
    }
  })
})

describe('managing', () => {
  test('is for owners of groups and maintainers of projects', async () => {
    for (const [source] of sources()) {
      await ask(source)
      expect(await server.anonymous.get(requests(source))).toMatchObject(unauthorized)
      for (const person of [stranger, developer]) {
        expect(await person.get(requests(source))).toMatchObject(forbidden)
        expect(await approve(source, person)).toMatchObject(forbidden)
      }
      expect(await remove(source, developer)).toMatchObject(forbidden)
      expect((await server.root.get(requests(source))).body).toHaveLength(1)
    }
  })

  test.each([
    [{ access_level: 50 }, forbidden],
    [{ access_level: 25 }, refused('access_level', 'is not included in the list')],
    [{ access_level: 5 }, refused('access_level', 'is not included in the list')],
    [{ access_level: 'abc' }, { status: 400, body: { error: 'access_level is invalid' } }],
  ])('a project refuses %j, and the request stays', async (given, answer) => {
    await ask(project)
    expect(await approve(project, maintainer, given)).toMatchObject(answer)
    expect((await maintainer.get(requests(project))).body).toHaveLength(1)
  })

  test('a level below an inherited one is refused', async () => {
    const sub = await server.make.group('sub', owner, { parent: namespace, visibility: 'public' })
    const below: Source = { kind: 'group', path: `/groups/${sub.id}`, id: sub.id }
    await ask(below)
    await server.make.member({ namespace }, stranger, 30)
    const text = `should be greater than or equal to Developer inherited membership from group team${made}`
    expect(await approve(below, owner, { access_level: 20 })).toMatchObject(refused('access_level', text))
    expect((await approve(below, owner, { access_level: 40 })).body.access_level).toBe(40)
  })

  test('an unknown user or one without a request is 404, other text invalid', async () => {
    for (const [source, manager] of sources()) {
      expect(await manager.put(`${requests(source)}/99999999/approve`)).toMatchObject(noRequest)
      for (const path of [`${requests(source)}/x`, `${requests(source)}/x/approve`]) {
        const method = path.endsWith('approve') ? 'PUT' : 'DELETE'
        expect(await manager.request(method, path)).toMatchObject({
          status: 400,
          body: { error: 'user_id is invalid' },
        })
      }
    }
  })

  test('approving and denying at once has one winner', async () => {
    for (const [source, manager] of sources()) {
      await ask(source)
      const answers = await Promise.all([approve(source, manager), remove(source, manager)])
      const statuses = answers.map(({ status }) => status)
      expect([
        [200, 404],
        [404, 204],
      ]).toContainEqual(statuses)
    }
  })

  test('a request that is denied or withdrawn can be made again', async () => {
    for (const [source, manager] of sources()) {
      await ask(source)
      const old = { headers: { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' } }
      expect((await manager.delete(`${requests(source)}/${stranger.id}`, old)).status).toBe(412)
      expect((await remove(source, manager)).status).toBe(204)
      expect((await ask(source)).status).toBe(201)
      expect((await remove(source, stranger)).status).toBe(204)
      expect(await remove(source, stranger)).toMatchObject(noRequest)
      expect((await manager.get(requests(source))).body).toEqual([])
    }
  })

  test('adding the user as a member ends the request', async () => {
    for (const [source, manager] of sources()) {
      await ask(source)
      const added = await manager.post(`${source.path}/members`, { user_id: stranger.id, access_level: 20 })
      expect([added.status, added.body.access_level]).toEqual([201, 20])
      expect((await manager.get(requests(source))).body).toEqual([])
      await manager.delete(`${source.path}/members/${stranger.id}`)
      expect((await manager.get(requests(source))).body).toEqual([])
      expect((await ask(source)).status).toBe(201)
    }
  })

  test('a page takes the same queries for one request and for many', async () => {
    await ask(project)
    const one = await queriesOf(server, () => maintainer.get(requests(project)))
    for (let index = 0; index < 4; index += 1) await ask(project, await server.user(`asker${made}x${index}`))
    const names = (await maintainer.get(`${requests(project)}?per_page=2&page=2`)).body.map(
      ({ username }: { username: string }) => username,
    )
    expect(names).toEqual([`asker${made}x1`, `asker${made}x2`])
    expect(await queriesOf(server, () => maintainer.get(requests(project)))).toBe(one)
  })
})
