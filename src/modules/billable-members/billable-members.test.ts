/** Billable members of top-level groups (contract 26.8, and step 10 of the acceptance walk). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, queriesDuring, startTestServer, type TestServer } from '../../testing/index.ts'

let server: TestServer
let [owner, maintainer, developer, guest, outsider]: Person[] = []
let group: Awaited<ReturnType<TestServer['make']['group']>>
let subgroup: Awaited<ReturnType<TestServer['make']['group']>>
let project: Awaited<ReturnType<TestServer['make']['project']>>
let at: string

beforeAll(async () => {
  server = await startTestServer()
  ;[owner, maintainer, developer] = [await server.user('olga'), await server.user('mara'), await server.user('dan')]
  ;[guest, outsider] = [await server.user('gus'), await server.user('xenia')]
  group = await server.make.group('seats', owner)
  subgroup = await server.make.group('below', owner, { parent: group })
  project = await server.make.project('app', owner, { namespace: subgroup })
  await server.make.member({ namespace: subgroup }, maintainer, 40)
  await server.make.member({ project }, developer, 30)
  await server.make.member({ namespace: group }, guest, 10)
  at = `/groups/${group.id}/billable_members`
})
afterAll(() => server.stop())

const bad = (text?: string) => ({ status: 400, body: { message: `400 Bad request${text ? ` - ${text}` : ''}` } })
const listed = async (query = '') => {
  const { status, body } = (await owner?.get(`${at}${query}`)) ?? {}
  expect(status).toBe(200)
  return body as { username: string; membership_type: string; removable: boolean; is_last_owner: boolean }[]
}
const names = async (query = '') => (await listed(query)).map(({ username }) => username)

describe('the list', () => {
  test('has people with a role above guest anywhere in the tree, with where they have it', async () => {
    expect(await listed()).toEqual([
      expect.objectContaining({
        username: 'olga',
        membership_type: 'group_member',
        removable: true,
        is_last_owner: true,
      }),
      expect.objectContaining({
        username: 'mara',
        membership_type: 'group_member',
        removable: true,
        is_last_owner: false,
      }),
      expect.objectContaining({ username: 'dan', membership_type: 'project_member', removable: true }),
    ])
    expect((await listed())[0]).toEqual({
      ...{ id: owner?.id, username: 'olga', name: 'olga person', state: 'active', locked: false, public_email: null },
      ...{ avatar_url: null, web_url: expect.stringMatching(/\/olga$/), email: null },
      ...{ membership_type: 'group_member', removable: true, is_last_owner: true, last_login_at: null },
      ...{ created_at: expect.any(String), last_activity_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    })
    const [first] = (await server.root.get(at)).body
    expect(first.email).toBe('olga@example.com')
  })

  test('has those of invited groups, who cannot be removed, and no bots', async () => {
    const friends = await server.make.group('friends', outsider as Person)
    await owner?.post(`/projects/${project.id}/share`, { group_id: friends.id, group_access: 30 })
    expect(await listed('?search=xenia')).toEqual([])
    await server.root.post(`/projects/${project.id}/share`, { group_id: friends.id, group_access: 30 })
    expect(await listed('?search=xenia')).toMatchObject([{ membership_type: 'project_invite', removable: false }])
    await server.root.post(`/groups/${group.id}/share`, { group_id: friends.id, group_access: 30 })
    expect(await listed('?search=xenia')).toMatchObject([{ membership_type: 'group_invite', removable: false }])
    await server.root.delete(`/groups/${group.id}/share/${friends.id}`)
    await server.root.delete(`/projects/${project.id}/share/${friends.id}`)
    await owner?.post(`/groups/${group.id}/access_tokens`, { name: 't', scopes: ['api'], access_level: 30 })
    expect(await names()).toEqual(['olga', 'mara', 'dan'])
  })

  test('is sorted and searched', async () => {
    expect(await names('?sort=name_asc')).toEqual(['dan', 'mara', 'olga'])
    expect(await names('?sort=name_desc')).toEqual(['olga', 'mara', 'dan'])
    expect(await names('?sort=access_level_asc')).toEqual(['dan', 'mara', 'olga'])
    expect(await names('?sort=access_level_desc')).toEqual(['olga', 'mara', 'dan'])
    await server.app.platform.database.write(async (tx) => {
      const set = (id: number | undefined, values: object) =>
        tx
          .updateTable('users')
          .set(values)
          .where('id', '=', id as number)
          .execute()
      await set(developer?.id, { current_sign_in_at: '2026-01-02T00:00:00.000Z', last_activity_on: '2026-01-01' })
      await set(owner?.id, { last_activity_on: '2999-01-01' })
      await set(maintainer?.id, { current_sign_in_at: '2026-01-01T00:00:00.000Z', last_activity_on: '2026-01-02' })
    })
    expect(await names('?sort=recent_sign_in')).toEqual(['dan', 'mara', 'olga'])
    expect(await names('?sort=oldest_sign_in')).toEqual(['mara', 'dan', 'olga'])
    expect(await names('?sort=last_activity_on_desc')).toEqual(['olga', 'mara', 'dan'])
    expect(await names('?sort=last_activity_on_asc')).toEqual(['dan', 'mara', 'olga'])
    expect(await names('?sort=last_joined')).toHaveLength(3)
    expect(await names('?sort=oldest_joined&per_page=1&page=3')).toHaveLength(1)
    expect(await names('?search=MAR')).toEqual(['mara'])
    expect(await names("?search=%25'")).toEqual([])
    expect((await owner?.get(`${at}?sort=id_asc`))?.body).toMatchObject({ error: 'sort does not have a valid value' })
  })

  test('takes the same number of queries for one member and for many', async () => {
    const count = async (size: number) => (await queriesDuring(server, () => listed(`?per_page=${size}`))).length
    expect(await count(20)).toBe(await count(1))
  })

  test('is for owners of top-level groups', async () => {
    expect(await owner?.get(`/groups/${subgroup.id}/billable_members`)).toMatchObject(bad())
    for (const other of [developer, guest]) expect(await other?.get(at)).toMatchObject(bad())
    for (const other of [maintainer, outsider]) expect((await other?.get(at))?.status).toBe(404)
    expect((await server.anonymous.get(at)).status).toBe(401)
    const { id } = await server.make.group('public', owner as Person, { visibility: 'public' })
    expect(await outsider?.get(`/groups/${id}/billable_members`)).toMatchObject(bad())
  })
})

test('guests take a seat where the tier is below Ultimate', async () => {
  const { edition } = server.app.platform.config
  const { tier } = edition
  try {
    Object.assign(edition, { tier: 'premium' })
    expect(await names()).toEqual(['olga', 'mara', 'dan', 'gus'])
  } finally {
    Object.assign(edition, { tier })
  }
})

test('the memberships of one, in the tree alone', async () => {
  const elsewhere = await server.make.project('elsewhere', outsider as Person)
  await server.make.member({ project: elsewhere }, developer as Person, 30)
  const memberships = `${at}/${developer?.id}/memberships`
  const { body } = (await owner?.get(memberships)) ?? {}
  expect(body).toEqual([
    {
      ...{ id: expect.any(Number), source_id: project.id, source_full_name: 'seats / below / app' },
      ...{ created_at: expect.any(String), expires_at: null },
      source_members_url: expect.stringMatching(/\/seats\/below\/app\/-\/project_members$/),
      access_level: { string_value: 'Developer', integer_value: 30, custom_role: null },
    },
  ])
  const ofMaintainer = (await owner?.get(`${at}/${maintainer?.id}/memberships`))?.body
  expect(ofMaintainer).toMatchObject([{ source_full_name: 'seats / below', source_id: subgroup.id }])
  expect(ofMaintainer[0].source_members_url).toMatch(/\/groups\/seats\/below\/-\/group_members$/)
  expect((await owner?.get(`${at}/${outsider?.id}/memberships`))?.body).toEqual({ message: '404 User Not Found' })
  expect((await owner?.get(`${at}/99999999/memberships`))?.status).toBe(404)
  expect(await developer?.get(memberships)).toMatchObject(bad())
  expect(await owner?.get(`/groups/${subgroup.id}/billable_members/${maintainer?.id}/memberships`)).toMatchObject(bad())
})

describe('removing one', () => {
  test('ends all direct memberships in the tree, once', async () => {
    const leaving = await server.user('leaving')
    await server.make.member({ namespace: subgroup }, leaving, 30)
    await server.make.member({ project }, leaving, 40)
    await server.make.member({ namespace: group }, leaving, 20)
    const path = `${at}/${leaving.id}`
    const statuses = (await Promise.all([owner?.delete(path), owner?.delete(path)])).map((answer) => answer?.status)
    expect(statuses.toSorted()).toEqual([204, 400])
    expect(await owner?.delete(path)).toMatchObject(bad('No member found for the given user_id'))
    expect((await leaving.get(`/projects/${project.id}`)).status).toBe(404)
    expect((await owner?.get(`/groups/${group.id}/audit_events`))?.body[0]).toMatchObject({
      details: { event_name: 'member_destroyed', target_id: leaving.id },
    })
  })

  test('is refused for the last owner, in a subgroup, and to others than owners', async () => {
    expect(await owner?.delete(`${at}/${owner.id}`)).toMatchObject(bad('You cannot remove the last owner'))
    expect(await owner?.delete(`/groups/${subgroup.id}/billable_members/${maintainer?.id}`)).toMatchObject(
      bad('Invalid group provided, must be top-level'),
    )
    expect(await guest?.delete(`${at}/${developer?.id}`)).toMatchObject(bad('User unauthorized to remove member'))
    expect(await owner?.delete(`${at}/${outsider?.id}`)).toMatchObject(bad('No member found for the given user_id'))
    expect((await owner?.delete(`${at}/x`))?.body).toMatchObject({ error: 'user_id is invalid' })
    const second = await server.user('second')
    await server.make.member({ namespace: group }, second, 50)
    expect((await second.delete(`${at}/${owner?.id}`)).status).toBe(204)
    await server.make.member({ namespace: group }, owner as Person, 50)
    expect((await owner?.delete(`${at}/${second.id}`))?.status).toBe(204)
  })
})
