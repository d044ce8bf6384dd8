/** Member roles of the instance and of groups (contract 25). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { permissionNames } from '../access/index.ts'

let server: TestServer
let owner: Person
let group: number
let roles: string
let count = 0
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())
beforeEach(async () => {
  count += 1
  group = (await server.make.group(`g${count}`, owner)).id
  roles = `/groups/${group}/member_roles`
})

const ofInstance = '/member_roles'
const reader = { name: 'Code reader', base_access_level: 10, read_code: true }
const none = Object.fromEntries(permissionNames.map((name) => [name, false]))
const said = (status: number, message: unknown) => ({ status, body: { message } })

describe('a member role', () => {
  test('of a group is created, listed and deleted', async () => {
    const description = 'Reads 💥 <b>code</b>'
    const made = await owner.post(roles, { ...reader, description, admin_runners: true })
    const shown = { ...none, ...reader, id: made.body.id, description, group_id: group, admin_runners: true }
    expect([made.status, made.body]).toEqual([201, shown])
    expect(Object.keys(made.body)).toEqual([
      ...['id', 'name', 'description', 'group_id', 'base_access_level'],
      ...permissionNames,
    ])
    const second = await owner.post(roles, { base_access_level: 50, remove_project: 'true' })
    expect(second.body).toMatchObject({ name: 'Custom', description: null, remove_project: true })
    expect((await owner.get(roles)).body).toEqual([made.body, second.body])
    const page = await owner.get(`${roles}?per_page=1&page=2`)
    expect([page.headers.get('x-total'), page.body]).toEqual(['2', [second.body]])
    expect((await owner.delete(`${roles}/${made.body.id}`)).status).toBe(204)
    expect(await owner.delete(`${roles}/${made.body.id}`)).toMatchObject(said(404, '404 Member Role Not Found'))
    expect((await owner.get(roles)).body).toEqual([second.body])
  })

  test('of the instance is one of administrators, and not one of a group', async () => {
    const made = await server.root.post(ofInstance, { ...reader, base_access_level: 20 })
    expect([made.status, made.body.group_id]).toEqual([201, null])
    expect((await server.root.get(ofInstance)).body).toEqual([made.body])
    expect((await owner.get(roles)).body).toEqual([])
    expect((await owner.get(`${roles}?include_inherited=true`)).body).toEqual([made.body])
    const unknown = said(404, '404 Member Role Not Found')
    expect(await owner.delete(`${roles}/${made.body.id}`)).toMatchObject(unknown)
    const { id } = (await owner.post(roles, reader)).body
    expect(await server.root.delete(`${ofInstance}/${id}`)).toMatchObject(unknown)
    for (const path of [`${ofInstance}/${made.body.id}`, `${ofInstance}/x`, `${ofInstance}/%2e%2e%2f`]) {
      expect((await owner.delete(path)).status).toBe(403)
    }
    expect((await server.root.delete(`${ofInstance}/${made.body.id}`)).status).toBe(204)
  })

  test('needs a name, a base level and a permission', async () => {
    const error = async (path: string, given: object) => (await server.root.post(path, given)).body.error
    const { name: _, ...unnamed } = reader
    expect(await error(ofInstance, unnamed)).toBe('name is missing')
    expect(await error(roles, { name: 'x', read_code: true })).toBe('base_access_level is missing')
    for (const base_access_level of [0, 5, 11, 60]) {
      expect(await error(roles, { ...reader, base_access_level })).toBe('base_access_level does not have a valid value')
    }
    expect(await error(roles, { ...reader, read_code: 'perhaps' })).toBe('read_code is invalid')
    for (const name of ['', ' ', 'x'.repeat(256), { a: 1 }]) {
      expect((await owner.post(roles, { ...reader, name })).status).toBe(400)
    }
    expect((await owner.post(roles, { ...reader, name: 'x'.repeat(255) })).status).toBe(201)
    const described = (length: number) =>
      owner.post(roles, { ...reader, name: 'described', description: 'x'.repeat(length) })
    expect([(await described(1_048_577)).status, (await described(1_048_576)).status]).toEqual([400, 201])
    const refused = async (given: object) => (await owner.post(roles, given)).body.message
    const permitsNothing = { base: ['Cannot create a member role with no enabled permissions'] }
    expect(await refused({ ...reader, read_code: false })).toEqual(permitsNothing)
    expect(await refused({ ...reader, admin_vulnerability: true })).toEqual({
      base: ['Read vulnerability has to be enabled in order to enable Admin vulnerability'],
    })
    expect((await owner.post(roles, { ...reader, admin_vulnerability: true, read_vulnerability: true })).status).toBe(
      201,
    )
    expect(await refused(reader)).toEqual({ name: ['has already been taken'] })
    const parent = (await owner.post('/groups', { name: 'below', path: 'below', parent_id: group })).body.id
    expect(await owner.post(`/groups/${parent}/member_roles`, reader)).toMatchObject(
      said(400, { namespace: ['must be top-level namespace'] }),
    )
    expect((await owner.get(`/groups/${parent}/member_roles`)).body).toEqual([])
  })

  test('is one of at most ten, and has its name once, also with requests at once', async () => {
    const both = await Promise.all([1, 2].map(() => owner.post(roles, reader)))
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
    const others = Array.from({ length: 11 }, (_, index) => ({ ...reader, name: `n${index}` }))
    const statuses = await Promise.all(others.map(async (given) => (await owner.post(roles, given)).status))
    expect(statuses.filter((status) => status === 201)).toHaveLength(9)
    expect((await owner.post(roles, { ...reader, name: 'one more' })).body.message).toEqual({
      base: [
        'maximum number of Member Roles are already in use by the group hierarchy. Please delete an existing Member Role.',
      ],
    })
    expect((await owner.get(`${roles}?per_page=100`)).body).toHaveLength(10)
  })
})

describe('a role that is assigned', () => {
  const inUse = said(400, {
    base: ['Role is assigned to one or more group members. Remove role from all group members, then delete role.'],
  })

  test('is not deleted, whatever has it', async () => {
    const { id } = (await owner.post(roles, reader)).body
    const [member, invited] = [await server.user(`m${count}`), await server.make.group(`i${count}`, owner)]
    const given = { member_role_id: id }
    const ends: [make: () => Promise<unknown>, end: () => Promise<unknown>][] = [
      [
        () => owner.post(`/groups/${group}/members`, { user_id: member.id, access_level: 10, ...given }),
        () => owner.put(`/groups/${group}/members/${member.id}`, { access_level: 10, member_role_id: null }),
      ],
      [
        () => owner.post(`/groups/${group}/invitations`, { email: 'new@example.org', access_level: 10, ...given }),
        () => owner.delete(`/groups/${group}/invitations/new%40example.org`),
      ],
      [
        () => owner.post(`/groups/${group}/share`, { group_id: invited.id, group_access: 10, ...given }),
        () => owner.delete(`/groups/${group}/share/${invited.id}`),
      ],
      [
        () => owner.post(`/groups/${group}/saml_group_links`, { saml_group_name: 's', access_level: 10, ...given }),
        () => owner.delete(`/groups/${group}/saml_group_links/s`),
      ],
      [
        () => owner.post(`/groups/${group}/ldap_group_links`, { cn: 'c', provider: 'p', group_access: 10, ...given }),
        () => owner.delete(`/groups/${group}/ldap_group_links?cn=c&provider=p`),
      ],
    ]
    for (const [make, end] of ends) {
      expect(await make()).toMatchObject({ status: 201 })
      expect(await owner.delete(`${roles}/${id}`)).toMatchObject(inUse)
      await end()
    }
    expect((await owner.delete(`${roles}/${id}`)).status).toBe(204)
  })

  test('is deleted or assigned, when both happen at once', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id } = (await owner.post(roles, reader)).body
      const user = await server.user(`at-once-${round}`)
      const assign = owner.post(`/groups/${group}/members`, { user_id: user.id, access_level: 10, member_role_id: id })
      const [deleted, assigned] = await Promise.all([owner.delete(`${roles}/${id}`), assign])
      const outcome = [deleted.status, assigned.status, assigned.body.message ?? null]
      const isDeleted = deleted.status === 204
      expect(outcome).toEqual(isDeleted ? [204, 400, { member_role: ['not found'] }] : [400, 201, null])
      if (isDeleted) continue
      await owner.delete(`/groups/${group}/members/${user.id}`)
      expect((await owner.delete(`${roles}/${id}`)).status).toBe(204)
    }
  })

  test('ends with its group', async () => {
    const { id } = (await owner.post(roles, reader)).body
    const user = await server.user(`ends-${count}`)
    await owner.post(`/groups/${group}/members`, { user_id: user.id, access_level: 10, member_role_id: id })
    const { database } = server.app.platform
    await database.write((tx) => tx.deleteFrom('namespaces').where('id', '=', group).execute())
    expect(await database.read.selectFrom('member_roles').select('id').where('id', '=', id).execute()).toEqual([])
  })
})

test('below Ultimate there are no member roles', async () => {
  await using premium = await startTestServer({ settings: { FENNEC_TIER: 'premium' } })
  const forbidden = said(403, '403 Forbidden')
  expect(await premium.root.post(ofInstance, reader)).toMatchObject(forbidden)
  const namespace = await premium.make.group('g', { id: 1 })
  expect(await premium.root.get(`/groups/${namespace.id}/member_roles`)).toMatchObject(forbidden)
  // Those of a higher tier before stay, and permit nothing.
  const user = await premium.user('member')
  await premium.make.member({ namespace }, user, 10)
  await premium.app.platform.database.write(async (tx) => {
    const role = {
      name: 'r',
      base_access_level: 10,
      permissions: '["admin_web_hook"]',
      created_at: '2026-01-01T00:00:00.000Z',
    }
    const { id } = await tx.insertInto('member_roles').values(role).returning('id').executeTakeFirstOrThrow()
    await tx.updateTable('members').set({ member_role_id: id }).where('user_id', '=', user.id).execute()
  })
  expect(await user.get(`/groups/${namespace.id}/hooks`)).toMatchObject(forbidden)
  const member = await premium.root.get(`/groups/${namespace.id}/members/${user.id}`)
  expect([member.status, 'member_role' in member.body]).toEqual([200, false])
  const added = { user_id: (await premium.user('other')).id, access_level: 10, member_role_id: 999_999 }
  expect((await premium.root.post(`/groups/${namespace.id}/members`, added)).status).toBe(201)
})
