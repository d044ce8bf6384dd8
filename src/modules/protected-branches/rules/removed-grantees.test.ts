import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Person,
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

type Entry = { user_id: number | null; group_id: number | null; deploy_key_id?: number }
const named = (entries: Entry[]) =>
  entries.flatMap(({ user_id, group_id, deploy_key_id }) => user_id ?? group_id ?? deploy_key_id ?? [])

/** The grantees in all lists of a project's rules. */
async function listed({ owner, project }: ProjectWithMembers): Promise<number[][]> {
  const branch = (await owner.get(`/projects/${project.id}/protected_branches/b`)).body
  const tag = (await owner.get(`/projects/${project.id}/protected_tags/t`)).body
  const { push_access_levels, merge_access_levels, unprotect_access_levels } = branch
  return [push_access_levels, merge_access_levels, unprotect_access_levels, tag.create_access_levels].map(named)
}

/** Creates a rule for a branch and one for a tag, with these entries in every list. */
async function name({ owner, project }: ProjectWithMembers, ...entries: object[]): Promise<void> {
  const allowed = [{ access_level: 40 }, ...entries]
  const without = allowed.filter((entry) => !('deploy_key_id' in entry))
  const lists = { allowed_to_push: allowed, allowed_to_merge: without, allowed_to_unprotect: without }
  const made = [
    await owner.post(`/projects/${project.id}/protected_branches`, { name: 'b', ...lists }),
    await owner.post(`/projects/${project.id}/protected_tags`, { name: 't', allowed_to_create: allowed }),
  ]
  expect(made.map(({ status }) => status)).toEqual([201, 201])
}

const all = (...ids: number[]) => [ids, ids, ids, ids]

describe('the rules of a project drop', () => {
  test('a member who is removed', async () => {
    const people = await projectWithMembers(server)
    const other = await projectWithMembers(server)
    await server.make.member({ project: other.project }, people.developer, 30)
    for (const each of [people, other]) await name(each, { user_id: people.developer.id })
    expect((await people.owner.delete(`/projects/${people.project.id}/members/${people.developer.id}`)).status).toBe(
      204,
    )
    expect(await listed(people)).toEqual(all())
    expect(await listed(other)).toEqual(all(people.developer.id))
  })

  test('a group whose invitation ends', async () => {
    const people = await projectWithMembers(server)
    const group = await server.make.group('guests', people.owner)
    const share = { group_id: group.id, group_access: 30 }
    expect((await people.owner.post(`/projects/${people.project.id}/share`, share)).status).toBe(201)
    await name(people, { group_id: group.id })
    expect(await listed(people)).toEqual(all(group.id))
    expect((await people.owner.delete(`/projects/${people.project.id}/share/${group.id}`)).status).toBe(204)
    expect(await listed(people)).toEqual(all())
  })

  test('a deploy key that is disabled', async () => {
    const people = await projectWithMembers(server)
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEcgTtGyOGnf7F7Kj8hgQIqMtcCUlyCXZ5hGcSKMRAhH k'
    const path = `/projects/${people.project.id}/deploy_keys`
    const { status, body } = await people.owner.post(path, { title: 'k', key, can_push: true })
    expect(status).toBe(201)
    await name(people, { deploy_key_id: body.id })
    expect(await listed(people)).toEqual([[body.id], [], [], [body.id]])
    expect((await people.owner.delete(`${path}/${body.id}`)).status).toBe(204)
    expect(await listed(people)).toEqual(all())
  })

  test('a user who is deleted', async () => {
    const people = await projectWithMembers(server)
    await name(people, { user_id: people.developer.id }, { user_id: people.reporter.id })
    expect((await server.root.delete(`/users/${people.developer.id}?hard_delete=true`)).status).toBe(204)
    await server.app.platform.jobs.drain()
    expect(await listed(people)).toEqual(all(people.reporter.id))
  })
})

describe('the rules of a group', () => {
  let owner: Person
  let member: Person
  let group: NamespaceRow
  let rules: string

  beforeAll(async () => {
    owner = await server.user('top-owner')
    member = await server.user('top-member')
    group = await server.make.group('top', owner)
    await server.make.member({ namespace: group }, member, 30)
    rules = `/groups/${group.id}/protected_branches`
  })

  test('drop a removed member, as do projects below without another membership', async () => {
    const inner = await server.make.group('inner', owner, { parent: group })
    const left = await projectWithMembers(server, { namespace: inner })
    const kept = await projectWithMembers(server, { namespace: group })
    await server.make.member({ project: kept.project }, member, 30)
    for (const people of [left, kept]) await name(people, { user_id: member.id })
    await owner.post(rules, { name: 'g', allowed_to_push: [{ user_id: member.id }] })
    const removed = await owner.delete(`/groups/${group.id}/members/${member.id}?skip_subresources=true`)
    expect(removed.status).toBe(204)
    expect((await owner.get(`${rules}/g`)).body.push_access_levels).toEqual([])
    expect(await listed(left)).toEqual(all())
    expect(await listed(kept)).toEqual(all(member.id))
  })

  test('drop a group whose invitation ends', async () => {
    const friends = await server.make.group('friends', owner)
    const share = { group_id: friends.id, group_access: 30 }
    expect((await owner.post(`/groups/${group.id}/share`, share)).status).toBe(201)
    await owner.post(rules, { name: 'f', allowed_to_push: [{ group_id: friends.id }] })
    expect(named((await owner.get(`${rules}/f`)).body.push_access_levels)).toEqual([friends.id])
    expect((await owner.delete(`/groups/${group.id}/share/${friends.id}`)).status).toBe(204)
    expect((await owner.get(`${rules}/f`)).body.push_access_levels).toEqual([])
  })
})
