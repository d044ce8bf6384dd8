import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayAfter } from '../../../api/index.ts'
import { type Client, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import type { ProjectRow } from '../tables.ts'
import { type HandsOn, handsOn } from '../testing.ts'

let server: TestServer
let hands: HandsOn
let owner: Person
let maintainer: Person
let developer: Person
let friend: Person
let friends: NamespaceRow
let project: ProjectRow

beforeAll(async () => {
  server = await startTestServer()
  hands = handsOn(server)
  owner = await server.user('owner')
  maintainer = await server.user('maintainer')
  developer = await server.user('developer')
  friend = await server.user('friend')
  friends = await server.make.group('friends', friend)
  await server.make.member({ namespace: friends }, maintainer, 10)
  await server.make.member({ namespace: friends }, owner, 10)
  project = await made('shared')
})
afterAll(() => server.stop())

const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const notFound = { status: 404, body: { message: 'Not Found' } }
const noLink = { status: 404, body: { message: '404 Group Link Not Found' } }
const twice = { status: 409, body: { message: 'Group already shared with this group' } }

const day = (difference: number) => dayAfter(server.app.platform.clock.now(), difference)

async function made(path: string, namespace?: NamespaceRow): Promise<ProjectRow> {
  const row = await server.make.project(path, owner, namespace ? { namespace } : {})
  await server.make.member({ project: row }, maintainer, 40)
  await server.make.member({ project: row }, developer, 30)
  return row
}

const share = (client: Client, to: { id: number }, body: object) => client.post(`/projects/${to.id}/share`, body)
const names = (answer: { body: { full_path: string }[] }) => answer.body.map(({ full_path }) => full_path)

describe('sharing a project with a group', () => {
  test('gives its members a role until it ends', async () => {
    await hands.push(owner, 'owner/shared', ['first'])
    expect((await friend.get(`/projects/${project.id}`)).status).toBe(404)
    const answer = await share(owner, project, { group_id: friends.id, group_access: 30, expires_at: day(3) })
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        project_id: project.id,
        group_id: friends.id,
        group_access: 30,
        expires_at: day(3),
      },
    ])
    expect((await owner.get(`/projects/${project.id}`)).body.shared_with_groups).toEqual([
      {
        group_id: friends.id,
        group_name: 'friends',
        group_full_path: 'friends',
        group_access_level: 30,
        expires_at: day(3),
        member_role_id: null,
      },
    ])
    expect((await hands.tryPush(friend, 'owner/shared')).code).toBe(0)
    expect(await share(owner, project, { group_id: friends.id, group_access: 10 })).toMatchObject(twice)
    const ended = await owner.delete(`/projects/${project.id}/share/${friends.id}`)
    expect([ended.status, ended.body]).toEqual([204, ''])
    expect((await friend.get(`/projects/${project.id}`)).status).toBe(404)
    expect(await owner.delete(`/projects/${project.id}/share/${friends.id}`)).toMatchObject(noLink)
  })

  test('never expires by default, and an expired one is replaced', async () => {
    const lasting = await made('lasting')
    const first = await share(maintainer, lasting, { group_id: friends.id, group_access: 20 })
    expect(first.body.expires_at).toBeNull()
    const { database } = server.app.platform
    await database.write((tx) =>
      tx
        .updateTable('group_links')
        .set({ expires_at: day(0) })
        .where('id', '=', first.body.id)
        .execute(),
    )
    expect((await friend.get(`/projects/${lasting.id}`)).status).toBe(404)
    expect((await owner.get(`/projects/${lasting.id}`)).body.shared_with_groups).toEqual([])
    expect((await share(maintainer, lasting, { group_id: friends.id, group_access: 20 })).status).toBe(201)
    expect((await friend.get(`/projects/${lasting.id}`)).status).toBe(200)
  })

  test('succeeds for one of two concurrent requests', async () => {
    const busy = await made('busy')
    const answers = await Promise.all(
      [10, 20].map((level) => share(owner, busy, { group_id: friends.id, group_access: level })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  })

  test('checks its parameters in order', async () => {
    expect((await share(owner, project, {})).body).toEqual({
      message: '400 (Bad request) "group_id", "group_access" not given',
      error: 'group_id is missing, group_access is missing',
    })
    for (const level of [0, 5, 11, 60, -10]) {
      expect((await share(owner, project, { group_id: friends.id, group_access: level })).body.error).toBe(
        'group_access does not have a valid value',
      )
    }
    expect((await share(owner, project, { group_id: friends.id, group_access: 'x' })).body.error).toBe(
      'group_access is invalid',
    )
    expect((await share(owner, project, { group_id: { id: 1 }, group_access: 10 })).body.error).toBe(
      'group_id is invalid',
    )
    expect(
      (await share(owner, project, { group_id: friends.id, group_access: 10, expires_at: 'soon' })).body.error,
    ).toBe('expires_at is invalid')
    expect(await share(owner, project, { group_id: friends.id, group_access: 10, expires_at: day(0) })).toMatchObject({
      status: 400,
      body: { message: { expires_at: ['cannot be a date in the past'] } },
    })
  })

  test('finds only groups that the caller can see', async () => {
    const hidden = await server.make.group('hidden', friend)
    for (const id of [hidden.id, 987654, 0, -1, '9223372036854775807']) {
      expect(await share(owner, project, { group_id: id, group_access: 10 })).toMatchObject(notFound)
    }
    const { body: me } = await owner.get('/namespaces/owner')
    expect(await share(owner, project, { group_id: me.id, group_access: 10 })).toMatchObject(notFound)
    expect((await share(server.root, project, { group_id: hidden.id, group_access: 10 })).status).toBe(201)
  })

  test('requires a maintainer, and a level up to that of the caller', async () => {
    const other = await made('other')
    const body = { group_id: friends.id, group_access: 20 }
    expect(await share(developer, other, body)).toMatchObject(forbidden)
    expect((await share(friend, other, body)).status).toBe(404)
    expect((await share(server.anonymous, other, body)).status).toBe(401)
    expect(await share(maintainer, other, { ...body, group_access: 50 })).toMatchObject(forbidden)
    expect((await share(owner, other, { ...body, group_access: 50 })).status).toBe(201)
    const path = `/projects/${other.id}/share/${friends.id}`
    expect(await developer.delete(path)).toMatchObject(forbidden)
    expect(await maintainer.delete(path)).toMatchObject(forbidden)
    const headers = { 'If-Unmodified-Since': 'Mon, 01 Jan 2024 00:00:00 GMT' }
    expect((await owner.delete(path, { headers })).status).toBe(412)
    expect((await owner.delete(path)).status).toBe(204)
    expect((await owner.delete(`/projects/${other.id}/share/x`)).body.error).toBe('group_id is invalid')
    expect(await owner.delete(`/projects/${other.id}/share/9223372036854775807`)).toMatchObject(noLink)
  })

  test('is refused below a group that forbids sharing, and for the groups above', async () => {
    const top = await server.make.group('top', owner)
    const sub = await server.make.group('sub', owner, { parent: top })
    const inside = await made('inside', sub)
    expect(await share(owner, inside, { group_id: top.id, group_access: 10 })).toMatchObject({
      status: 409,
      body: { message: 'Project cannot be shared with the group it is in or one of its ancestors.' },
    })
    expect((await owner.put(`/groups/${top.id}`, { share_with_group_lock: true })).status).toBe(200)
    expect(await share(owner, inside, { group_id: friends.id, group_access: 10 })).toMatchObject({
      status: 400,
      body: { message: 'The project sharing with group is disabled' },
    })
  })

  test('is refused while the project is archived', async () => {
    const old = await made('archived')
    await owner.post(`/projects/${old.id}/archive`)
    expect(await share(owner, old, { group_id: friends.id, group_access: 10 })).toMatchObject(forbidden)
    expect(await owner.delete(`/projects/${old.id}/share/${friends.id}`)).toMatchObject(forbidden)
  })
})

describe('the groups of a project', () => {
  test('include those that were invited to it or to a group above', async () => {
    const parent = await server.make.group('parent', owner, { visibility: 'public' })
    const target = await server.make.project('target', owner, { namespace: parent, visibility: 'public' })
    const direct = await server.make.group('b-direct', owner, { visibility: 'public' })
    const inherited = await server.make.group('a-inherited', owner, { visibility: 'public' })
    const secret = await server.make.group('c-secret', owner)
    await share(owner, target, { group_id: direct.id, group_access: 10 })
    await share(owner, target, { group_id: secret.id, group_access: 10 })
    await owner.post(`/groups/${parent.id}/share`, { group_id: inherited.id, group_access: 10 })
    const list = async (client: Client, query = '') =>
      names(await client.get(`/projects/${target.id}/invited_groups${query}`))
    expect(await list(owner)).toEqual(['a-inherited', 'b-direct', 'c-secret'])
    expect(await list(server.anonymous)).toEqual(['a-inherited', 'b-direct'])
    expect(await list(friend, '?relation=direct')).toEqual(['b-direct'])
    expect(await list(friend, '?relation[]=inherited')).toEqual(['a-inherited'])
    expect(await list(friend, '?relation=direct,inherited')).toEqual(['a-inherited', 'b-direct'])
    expect(await list(friend, '?search=DIRECT')).toEqual(['b-direct'])
    expect(await list(friend, '?min_access_level=10')).toEqual([])
    expect(await list(owner, '?min_access_level=50&relation=direct')).toEqual(['b-direct', 'c-secret'])
    expect((await owner.get(`/projects/${target.id}/invited_groups?relation=x`)).status).toBe(400)
    expect((await owner.get(`/projects/${target.id}/invited_groups?min_access_level=1`)).status).toBe(400)
    const stranger = await server.user('stranger')
    expect((await stranger.get(`/projects/${project.id}/invited_groups`)).status).toBe(404)
    const answer = await server.anonymous.get(`/projects/${target.id}/invited_groups?per_page=1`)
    expect(answer.headers.get('x-total')).toBe('2')
    expect(Object.keys(answer.body[0])).toEqual(['id', 'web_url', 'name', 'avatar_url', 'full_name', 'full_path'])
  })

  test('list those that it could be shared with', async () => {
    const alone = await server.user('alone')
    const single = await server.make.project('single', alone)
    const mine = await server.make.group('my-group', alone)
    const list = async (client: Client, query = '') =>
      names(await client.get(`/projects/${single.id}/share_locations${query}`))
    expect(await list(alone, '?search=my')).toEqual(['my-group'])
    expect(await list(server.root, '?search=hidden')).toEqual(['hidden'])
    expect(await list(alone, '?search=hidden')).toEqual([])
    await share(alone, single, { group_id: mine.id, group_access: 10 })
    expect(await list(alone, '?search=my')).toEqual([])
    await server.make.member({ project: single }, developer, 30)
    expect(await developer.get(`/projects/${single.id}/share_locations`)).toMatchObject(forbidden)
    expect((await server.anonymous.get(`/projects/${single.id}/share_locations`)).status).toBe(401)
  })
})
