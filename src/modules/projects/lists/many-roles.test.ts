/** A caller with so many roles that lists look them up instead of loading them sees the same as with few. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person, TestServer } from '../../../testing/index.ts'
import { keyLine } from '../../deploy-keys/testing.ts'
import { listedProjects } from './testing.ts'

let server: TestServer
let alice: Person
let bob: Person
beforeAll(async () => {
  ;({ server, alice, bob } = await listedProjects())
})
afterAll(() => server.stop())

/** Memberships of projects that no list shows, because they are being deleted. */
async function addHiddenRoles(userId: number, count: number): Promise<void> {
  const { database } = server.app.platform
  await database.write(async (tx) => {
    const { namespace_id, created_at } = await tx
      .selectFrom('projects')
      .select(['namespace_id', 'created_at'])
      .where('name', '=', 'open')
      .executeTakeFirstOrThrow()
    const times = { last_activity_at: created_at, created_at, updated_at: created_at }
    const numbers = Array.from({ length: count }, (_, index) => index)
    const rows = numbers.map((number) => {
      const names = { name: `gone-${userId}-${number}`, path: `gone-${userId}-${number}` }
      const place = { namespace_id, full_path: `alice/gone-${userId}-${number}` }
      return { ...names, ...place, visibility: 'private' as const, settings: '{}', pending_delete: true, ...times }
    })
    const projects = await tx.insertInto('projects').values(rows).returning('id').execute()
    const members = projects.map(({ id }) => ({ project_id: id, user_id: userId, access_level: 30, created_at }))
    await tx.insertInto('members').values(members).execute()
  })
}

async function idsOf(name: string): Promise<{ groups: Record<string, number>; project: number }> {
  const groups = (await server.root.get('/groups')).body.map(({ path, id }: { path: string; id: number }) => [path, id])
  return { groups: Object.fromEntries(groups), project: (await server.root.get(`/projects?search=${name}`)).body[0].id }
}

test('lists do not depend on how many roles the caller has', async () => {
  const { groups, project } = await idsOf('open')
  const { top, friends, sub } = groups
  await alice.post(`/projects/${project}/share`, { group_id: top, group_access: 30 })
  await alice.post(`/groups/${top}/share`, { group_id: sub, group_access: 20 })
  await bob.post(`/projects/${project}/fork`)
  await alice.post(`/projects/${project}/deploy_keys`, { title: 'open', key: keyLine('open') })
  await alice.post(`/groups/${sub}/epics`, { title: 'open' })
  await alice.post(`/groups/${sub}/labels`, { name: 'open', color: '#ffffff' })
  const lists = [
    '/projects',
    '/projects?membership=true',
    '/projects?owned=true',
    '/projects?min_access_level=30',
    '/projects?with_issues_enabled=true',
    '/projects?search=in-',
    '/groups',
    '/groups?order_by=id&sort=desc',
    '/groups?owned=true',
    '/groups?all_available=true',
    '/groups?min_access_level=30',
    '/namespaces',
    '/namespaces?owned_only=true',
    `/groups/${sub}/projects`,
    `/groups/${top}/projects?include_subgroups=true&include_ancestor_groups=true`,
    `/groups/${sub}/projects?include_ancestor_groups=true&order_by=name`,
    `/groups/${top}/projects?with_shared=false`,
    `/groups/${top}/projects?order_by=name&sort=asc&per_page=1&page=2`,
    `/groups/${top}/projects/shared`,
    `/groups/${top}/subgroups`,
    `/groups/${top}/descendant_groups`,
    `/groups/${top}/invited_groups`,
    `/groups/${sub}/groups/shared`,
    `/groups/${friends}/transfer_locations`,
    `/projects/${project}/forks`,
    `/projects/${project}/groups?with_shared=true`,
    `/projects/${project}/share_locations`,
    `/projects/${project}/invited_groups?min_access_level=10`,
    `/groups/${top}/epics`,
    `/groups/${top}/labels?include_descendant_groups=true`,
    `/users/${alice.id}/project_deploy_keys`,
    `/projects/${project}/transfer_locations`,
    `/users/${alice.id}/projects`,
    `/users/${alice.id}/starred_projects`,
    `/users/${bob.id}/contributed_projects`,
    '/personal_access_tokens/self/associations',
    '/runners',
  ]
  for (const caller of [alice, bob]) {
    const answerOf = async (path: string) => {
      const { status, body, headers } = await caller.get(path)
      return [path, status, headers.get('x-total'), body] as const
    }
    const answers = () => Promise.all(lists.map(answerOf))
    const before = await answers()
    const refused = before.filter(([, status]) => status !== 200)
    expect(refused.filter(([, status]) => status !== 403 && status !== 404)).toEqual([])
    expect(refused.length).toBeLessThan(lists.length / 2)
    await addHiddenRoles(caller.id, 501)
    expect(await answers()).toEqual(before)
  }
}, 120_000)

test('the projects of a group are in one order, its own and those that are shared with it', async () => {
  const { groups } = await idsOf('open')
  const path = `/groups/${groups.top}/projects?include_subgroups=true&order_by=name&sort=asc`
  const names = (await alice.get(path)).body.map(({ name }: { name: string }) => name)
  expect(names).toEqual(['in-sub', 'in-top', 'open'])
  const second = await alice.get(`${path}&per_page=1&page=2`)
  expect(second.body.map(({ name }: { name: string }) => name)).toEqual(['in-top'])
  expect(second.headers.get('x-total')).toBe('3')
})
