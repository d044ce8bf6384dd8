/** Member roles of memberships, invitations and shares: who gives them, what they permit, and when that ends (contract 25). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock } from '../../infra/clock/index.ts'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../testing/index.ts'
import type { NamespaceRow } from '../namespaces/index.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
let server: TestServer
let owner: Person
let top: NamespaceRow
let below: NamespaceRow
let project: string
let member: Person
let other: Person
let count = 0
beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
})
afterAll(() => server.stop())
beforeEach(async () => {
  count += 1
  top = await server.make.group(`top${count}`, owner)
  below = await server.make.group('below', owner, { parent: top })
  project = `/projects/${(await server.make.project('p', owner, { namespace: below })).id}`
  member = await server.user(`member${count}`)
  other = await server.user(`other${count}`)
})

type Given = { name?: string; base_access_level?: number; [permission: string]: unknown }
let roleCount = 0

/** A new member role of a group, or of the top group. @returns its id */
async function role(given: Given, group: Pick<NamespaceRow, 'id'> = top): Promise<number> {
  roleCount += 1
  const { status, body } = await owner.post(`/groups/${group.id}/member_roles`, {
    ...{ name: `role ${roleCount}`, base_access_level: 10 },
    ...given,
  })
  expect(status).toBe(201)
  return body.id
}

/** Makes the member one of a group or project, with a role. */
async function join(at: string, member_role_id: number, access_level = 10, person: Person = member) {
  const answer = await owner.post(`${at}/members`, { user_id: person.id, access_level, member_role_id })
  expect(answer).toMatchObject({ status: 201, body: { member_role: { id: member_role_id } } })
  return answer
}

const at = (group: Pick<NamespaceRow, 'id'>) => `/groups/${group.id}`
const hook = { url: 'https://example.com/hook' }
const mayHook = async (person: Person = member) => (await person.post(`${project}/hooks`, hook)).status === 201
const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const problem = (text: string) => ({ status: 400, body: { message: { member_role: [text] } } })

describe('a member with a role', () => {
  test('has the base level, and what the role permits, in the group and below', async () => {
    const id = await role({ name: 'Hooks', description: 'd', base_access_level: 20, admin_web_hook: true })
    const { body } = await join(at(top), id, 20)
    const shown = { id, group_id: top.id, name: 'Hooks', description: 'd', base_access_level: 20 }
    expect([body.access_level, body.member_role]).toEqual([20, shown])
    for (const path of [at(top), at(below), project]) expect((await member.get(`${path}/hooks`)).status).toBe(200)
    expect(await mayHook()).toBe(true)
    expect((await member.get(project)).body.permissions.group_access.access_level).toBe(20)
    expect((await owner.get(`${project}/members/all/${member.id}`)).body.member_role).toEqual(shown)
    expect((await owner.get(`${at(top)}/members`)).body.find((one: Person) => one.id === member.id)).toMatchObject(body)
    expect(await member.post(`${project}/variables`, { key: 'A', value: 'b' })).toMatchObject(forbidden)
    const elsewhere = await server.make.project(`elsewhere${count}`, owner, { visibility: 'public' })
    expect(await member.get(`/projects/${elsewhere.id}/hooks`)).toMatchObject(forbidden)
  })

  test('of a project has it there only', async () => {
    await join(project, await role({ admin_web_hook: true }))
    expect(await mayHook()).toBe(true)
    expect((await member.get(`${at(below)}/hooks`)).status).toBe(403)
  })

  test('has the permissions of all memberships that count', async () => {
    await join(at(top), await role({ admin_web_hook: true }))
    await join(project, await role({ admin_cicd_variables: true, base_access_level: 20 }), 20)
    expect(await mayHook()).toBe(true)
    expect((await member.post(`${project}/variables`, { key: 'A', value: 'b' })).status).toBe(201)
    expect((await member.get(`${at(top)}/variables`)).status).toBe(403)
  })

  test('changes nothing while the project is archived', async () => {
    await join(project, await role({ admin_web_hook: true, archive_project: true }))
    expect((await member.post(`${project}/archive`)).status).toBe(201)
    expect(await mayHook()).toBe(false)
    expect((await member.get(`${project}/hooks`)).status).toBe(200)
    expect((await member.post(`${project}/unarchive`)).status).toBe(201)
    expect(await mayHook()).toBe(true)
  })

  test('changes the settings about merging, and no others', async () => {
    await join(project, await role({ manage_merge_request_settings: true }))
    expect((await member.put(project, { merge_method: 'ff', squash_option: 'never' })).body).toMatchObject({
      merge_method: 'ff',
      squash_option: 'never',
    })
    for (const other of [{ description: 'x' }, { merge_method: 'merge', name: 'x' }, { visibility: 'public' }]) {
      expect(await member.put(project, other)).toMatchObject(forbidden)
    }
    expect((await owner.get(project)).body).toMatchObject({ merge_method: 'ff', description: null })
  })

  test('deletes subgroups and no top-level group, and restores them', async () => {
    await join(at(top), await role({ remove_group: true, remove_project: true }))
    expect(await member.delete(at(top))).toMatchObject(forbidden)
    expect((await member.delete(at(below))).status).toBe(202)
    expect((await member.post(`${at(below)}/restore`)).status).toBe(201)
    expect((await member.delete(project)).status).toBe(202)
    expect((await member.post(`${project}/restore`)).status).toBe(201)
    expect(await member.put(`${project}/transfer`, { namespace: top.id })).toMatchObject(forbidden)
  })

  test('approves what it can read', async () => {
    await join(project, await role({ admin_merge_request: true, base_access_level: 20 }), 20)
    await server.make.member({ namespace: top }, other, 20)
    const file = { branch: 'b', start_branch: 'main', content: 'x', commit_message: 'm' }
    await owner.post(`${project}/repository/files/a`, { branch: 'main', content: 'x', commit_message: 'm' })
    await owner.post(`${project}/repository/files/b`, file)
    const made = await owner.post(`${project}/merge_requests`, {
      source_branch: 'b',
      target_branch: 'main',
      title: 't',
    })
    const approve = `${project}/merge_requests/${made.body.iid}/approve`
    expect((await other.post(approve)).status).toBe(403)
    expect((await member.post(approve)).status).toBe(201)
  })

  test('changes the rules of protected branches that maintainers may change', async () => {
    await join(project, await role({ admin_protected_branch: true }))
    const rules = `${project}/protected_branches`
    expect((await member.post(rules, { name: 'a' })).status).toBe(201)
    await owner.post(rules, { name: 'b', unprotect_access_level: 60 })
    expect((await member.patch(`${rules}/a`, { allow_force_push: true })).status).toBe(200)
    expect((await member.delete(`${rules}/a`)).status).toBe(204)
    expect(await member.delete(`${rules}/b`)).toMatchObject(forbidden)
  })

  test('reads or administers the runners of the project or group, also by their ids', async () => {
    await join(at(below), await role({ admin_runners: true }))
    await join(at(below), await role({ read_runners: true }), 10, other)
    const project_id = Number(project.split('/').at(-1))
    const ofProject = await member.post('/user/runners', { runner_type: 'project_type', project_id })
    const ofGroup = await member.post('/user/runners', { runner_type: 'group_type', group_id: below.id })
    const foreign = await owner.post('/user/runners', { runner_type: 'group_type', group_id: top.id })
    expect([ofProject.status, ofGroup.status]).toEqual([201, 201])
    for (const { body } of [ofProject, ofGroup]) {
      const path = `/runners/${body.id}`
      expect([(await other.get(path)).status, (await other.put(path, { paused: true })).status]).toEqual([200, 403])
      expect((await member.put(path, { paused: true })).body.paused).toBe(true)
      expect((await member.delete(path)).status).toBe(204)
    }
    expect((await member.get(`/runners/${foreign.body.id}`)).status).toBe(403)
  })

  test('creates no token above the base level, and rotates none', async () => {
    await join(project, await role({ manage_project_access_tokens: true }))
    const token = { name: 't', scopes: ['api'] }
    const tokens = `${project}/access_tokens`
    expect((await member.post(tokens, token)).body.message).toMatch(/can't be greater/)
    const expires_at = '2026-06-01'
    expect((await member.post(tokens, { ...token, access_level: 10, expires_at })).status).toBe(201)
    const { id } = (await owner.post(tokens, { ...token, access_level: 40, expires_at })).body
    expect((await member.post(`${tokens}/${id}/rotate`)).status).toBe(400)
  })
})

describe('a role is given', () => {
  test('only with its base level, and only below its group', async () => {
    const id = await role({ read_code: true, base_access_level: 20 })
    const elsewhere = await server.make.group(`elsewhere${count}`, owner)
    const foreign = await role({ read_code: true }, elsewhere)
    const add = (given: object) =>
      owner.post(`${project}/members`, { user_id: member.id, access_level: 20, member_role_id: id, ...given })
    expect(await add({ access_level: 10 })).toMatchObject(problem('is not valid'))
    for (const member_role_id of [foreign, 999_999, 0, 2 ** 60]) {
      expect(await add({ access_level: 10, member_role_id })).toMatchObject(problem('not found'))
    }
    expect((await add({ member_role_id: 'x' })).body.error).toBe('member_role_id is invalid')
    const several = await add({ user_id: `${member.id},${other.id}`, member_role_id: 999_999 })
    expect(several.body).toEqual({
      status: 'error',
      message: { [member.username]: 'Member role not found', [other.username]: 'Member role not found' },
    })
    expect((await add({})).status).toBe(201)
    const path = `${project}/members/${member.id}`
    expect(await owner.put(path, { access_level: 30, member_role_id: id })).toMatchObject(problem('is not valid'))
    expect(await owner.put(path, { access_level: 10, member_role_id: foreign })).toMatchObject(problem('not found'))
  })

  test('by those who have its permissions', async () => {
    const [hooks, code] = [await role({ admin_web_hook: true }), await role({ read_code: true })]
    const removing = await role({ remove_project: true, base_access_level: 40 })
    await server.make.member({ namespace: top }, other, 40)
    const add = (by: Person, member_role_id: number, access_level = 10) =>
      by.post(`${project}/members`, { user_id: member.id, access_level, member_role_id })
    expect(await add(other, removing, 40)).toMatchObject(forbidden)
    expect((await add(other, hooks)).status).toBe(201)
    // Of members with a role: what the role permits themselves.
    const [manager, person] = [await server.user(`manager${count}`), await server.user(`person${count}`)]
    await join(at(top), await role({ admin_group_member: true, read_code: true }), 10, manager)
    const invite = (member_role_id: number) =>
      manager.post(`${at(top)}/members`, { user_id: person.id, access_level: 10, member_role_id })
    expect(await invite(hooks)).toMatchObject(forbidden)
    expect((await invite(code)).body.member_role.id).toBe(code)
    const change = (id: number, given: object) => manager.put(`${at(top)}/members/${id}`, given)
    expect(await change(person.id, { access_level: 10, member_role_id: hooks })).toMatchObject(forbidden)
    expect(await change(manager.id, { access_level: 10, member_role_id: hooks })).toMatchObject(forbidden)
  })

  test('never above the own base level', async () => {
    await join(at(top), await role({ admin_group_member: true, base_access_level: 20 }), 20)
    const add = (access_level: number) => member.post(`${at(below)}/members`, { user_id: other.id, access_level })
    expect(await add(30)).toMatchObject(forbidden)
    expect((await add(20)).status).toBe(201)
    expect(await member.put(`${at(below)}/members/${other.id}`, { access_level: 30 })).toMatchObject(forbidden)
    for (const path of [at(top), at(below)]) {
      expect((await member.delete(`${path}/members/${owner.id}`)).status).toBe(403)
      expect(await member.put(`${path}/members/${owner.id}`, { access_level: 10 })).toMatchObject(forbidden)
    }
    const invitation = { email: 'a@example.org', access_level: 30 }
    expect(await member.post(`${at(top)}/invitations`, invitation)).toMatchObject(forbidden)
    expect((await member.delete(`${at(below)}/members/${other.id}`)).status).toBe(204)
    expect(await member.post(`${project}/members`, { user_id: other.id, access_level: 10 })).toMatchObject(forbidden)
  })

  test('by an invitation, while it is one of the group when that is accepted', async () => {
    const id = await role({ admin_web_hook: true })
    const email = `new${count}@example.org`
    const invite = { email, access_level: 10, member_role_id: id }
    expect((await owner.post(`${at(top)}/invitations`, { ...invite, access_level: 20 })).body.message[email]).toBe(
      'Member role is not valid',
    )
    expect((await owner.post(`${at(top)}/invitations`, invite)).body).toEqual({ status: 'success' })
    expect((await owner.post(`${project}/invitations`, invite)).body).toEqual({ status: 'success' })
    const target = await server.make.group(`target${count}`, owner)
    expect((await owner.put(`${project}/transfer`, { namespace: target.id })).status).toBe(200)
    const password = 'a-long-enough-passphrase'
    const joined = await server.root.post('/users', {
      ...{ email, username: `joined${count}`, name: 'n', password, skip_confirmation: true },
    })
    const roleIn = async (path: string) => (await owner.get(`${path}/members/${joined.body.id}`)).body.member_role
    expect((await roleIn(at(top))).id).toBe(id)
    expect(await roleIn(project)).toBeNull()
  })

  test('by a share, to those whose level reaches it', async () => {
    const id = await role({ admin_web_hook: true, base_access_level: 20 })
    const invited = await server.make.group(`invited${count}`, owner)
    await server.make.member({ namespace: invited }, member, 30)
    await server.make.member({ namespace: invited }, other, 10)
    const share = { group_id: invited.id, group_access: 20, member_role_id: id }
    expect(await owner.post(`${at(below)}/share`, { ...share, group_access: 30 })).toMatchObject(
      problem('is not valid'),
    )
    const shared = await owner.post(`${at(below)}/share`, share)
    expect(shared.body.shared_with_groups[0].member_role_id).toBe(id)
    expect([await mayHook(), await mayHook(other)]).toEqual([true, false])
    expect((await member.get(`${at(top)}/hooks`)).status).toBe(404)
    expect((await owner.get(`${project}/members/all/${member.id}`)).body).toMatchObject({
      access_level: 20,
      member_role: { id },
    })
    await owner.delete(`${at(below)}/share/${invited.id}`)
    expect(await mayHook()).toBe(false)
    expect((await owner.post(`${project}/share`, share)).status).toBe(201)
    expect((await owner.get(project)).body.shared_with_groups[0].member_role_id).toBe(id)
    expect([await mayHook(), await mayHook(other)]).toEqual([true, false])
  })

  test('with nothing in the groups and projects to which the group of the member is invited', async () => {
    const invited = await server.make.group(`invited${count}`, owner)
    await join(at(invited), await role({ admin_web_hook: true }, invited))
    await owner.post(`${project}/share`, { group_id: invited.id, group_access: 30 })
    expect(await mayHook()).toBe(false)
  })
})

describe('the permissions end at once', () => {
  beforeEach(async () => {
    await join(at(top), await role({ admin_web_hook: true }))
    expect(await mayHook()).toBe(true)
  })
  const path = () => `${at(top)}/members/${member.id}`

  test.each<[string, () => Promise<unknown>]>([
    ['the role is taken away', () => owner.put(path(), { access_level: 10, member_role_id: '' })],
    ['the level is changed', () => owner.put(path(), { access_level: 20 })],
    ['the member is removed', () => owner.delete(path())],
    ['the project moves to another group', () => moveProject()],
    ['the group moves below another group', () => owner.post(`${at(below)}/transfer`)],
  ])('when %s', async (_, end) => {
    expect(await end()).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) })
    expect(await mayHook()).toBe(false)
    const unchanged = (await owner.get(path())).body
    if (unchanged.access_level === 20) expect(unchanged.member_role).toBeNull()
  })

  async function moveProject() {
    const target = await server.make.group(`target${count}`, owner)
    return owner.put(`${project}/transfer`, { namespace: target.id })
  }

  test('when the membership expires, and a change of the expiry keeps the role', async () => {
    expect((await owner.put(path(), { access_level: 10, expires_at: '2026-03-03' })).body.member_role).not.toBeNull()
    expect(await mayHook()).toBe(true)
    clock.advance(2 * 86_400_000)
    expect(await mayHook()).toBe(false)
  })
})

test('a moved project or group loses the roles of groups that it has left, and keeps those of the instance', async () => {
  const [own, target] = [await role({ admin_web_hook: true }), await server.make.group(`target${count}`, owner)]
  const given = { name: `instance ${count}`, base_access_level: 10, admin_web_hook: true }
  const ofInstance = (await server.root.post('/member_roles', given)).body.id
  await join(project, own)
  await join(project, ofInstance, 10, other)
  await join(at(below), own, 10, other)
  expect((await owner.put(`${project}/transfer`, { namespace: target.id })).status).toBe(200)
  expect([await mayHook(), await mayHook(other)]).toEqual([false, true])
  const roleOf = async (path: string, { id }: Person) => (await owner.get(`${path}/members/${id}`)).body.member_role
  expect([await roleOf(project, member), (await roleOf(project, other)).id]).toEqual([null, ofInstance])
  expect((await roleOf(at(below), other)).id).toBe(own)
  expect((await owner.post(`${at(below)}/transfer`, { group_id: target.id })).status).toBe(201)
  expect(await roleOf(at(below), other)).toBeNull()
})

test('a check of access takes no more queries where there are no member roles, and one more where there are', async () => {
  await server.make.member({ project: { id: Number(project.split('/').at(-1)) } as never }, other, 40)
  await join(project, await role({ admin_web_hook: true }))
  const asOther = await queriesOf(server, () => other.get(`${project}/hooks`))
  expect(await queriesOf(server, () => member.get(`${project}/hooks`))).toBe(asOther + 1)
})
