import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import type { NamespaceRow } from '../namespaces/index.ts'
import type { ProjectRow } from '../projects/index.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
})
afterAll(() => server.stop())

let made = 0
let member: Person
let top: NamespaceRow
let sub: NamespaceRow
let beside: NamespaceRow
let project: ProjectRow
beforeEach(async () => {
  made += 1
  member = await server.user(`member${made}`)
  top = await server.make.group(`top${made}`, owner)
  sub = await server.make.group('sub', owner, { parent: top })
  beside = await server.make.group('beside', owner, { parent: top })
  project = await server.make.project('demo', owner, { namespace: sub })
  await server.make.project('hidden', owner, { namespace: sub })
})

const notFound = { status: 404, body: { message: '404 Group Not Found' } }
const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const idsAt = async (path: string) => (await member.get(path)).body.map(({ id }: { id: number }) => id).toSorted()

describe('a private group', () => {
  test('is seen by the members of a project below, without its members', async () => {
    await owner.post(`/groups/${top.id}/labels`, { name: 'bug', color: '#ff0000' })
    const { body: milestone } = await owner.post(`/groups/${top.id}/milestones`, { title: 'v1' })
    expect(await member.get(`/groups/${top.id}`)).toMatchObject(notFound)
    expect((await member.get(`/namespaces/${top.id}`)).status).toBe(404)
    await server.make.member({ project }, member, 10)
    for (const group of [top, sub]) {
      const { status, body } = await member.get(`/groups/${group.id}`)
      expect([status, body.full_path]).toEqual([200, group.full_path])
      for (const name of ['runners_token', 'statistics', 'enabled_git_access_protocol'])
        expect(body).not.toHaveProperty(name)
    }
    expect((await member.get(`/groups/${sub.id}`)).body.projects).toMatchObject([{ id: project.id }])
    expect((await member.get(`/groups/${top.id}/labels`)).body).toMatchObject([{ name: 'bug' }])
    expect((await member.get(`/groups/${top.id}/milestones/${milestone.id}`)).body).toMatchObject({ title: 'v1' })
    expect(await idsAt(`/groups/${top.id}/projects?include_subgroups=true`)).toEqual([project.id])
    expect((await member.get(`/namespaces/${top.id}`)).body).toMatchObject({ full_path: top.full_path })
    expect((await member.get(`/namespaces/${top.id}`)).body).not.toHaveProperty('members_count_with_descendants')
    for (const path of ['members', 'members/all', `members/${owner.id}`, 'variables', 'hooks', 'access_requests']) {
      expect(await member.get(`/groups/${top.id}/${path}`), path).toMatchObject(forbidden)
    }
    expect(await member.post(`/groups/${top.id}/labels`, { name: 'x', color: '#fff' })).toMatchObject(forbidden)
    expect(await member.put(`/groups/${top.id}`, { name: 'x' })).toMatchObject(forbidden)
    expect(await member.get(`/groups/${beside.id}`)).toMatchObject(notFound)
    const { body: epic } = await owner.post(`/groups/${top.id}/epics`, { title: 'E' })
    expect(await member.get(`/groups/${top.id}/epics/${epic.iid}`)).toMatchObject(forbidden)
  })

  test('is in the list of groups, unless a role is asked for', async () => {
    expect(await idsAt('/groups')).toEqual([])
    await server.make.member({ project }, member, 10)
    const seen = [top.id, sub.id].toSorted()
    for (const query of ['', '?order_by=id', `?search=${top.path}`, '?all_available=true&per_page=1']) {
      const found = await member.get(`/groups${query}`)
      expect(found.headers.get('x-total'), query).toBe(query.includes('search') ? '1' : '2')
    }
    expect(await idsAt('/groups')).toEqual(seen)
    expect(await idsAt(`/groups/${top.id}/subgroups`)).toEqual([sub.id])
    expect(await idsAt('/groups?min_access_level=10')).toEqual([])
    expect(await idsAt('/groups?owned=true')).toEqual([])
  })

  test('is seen through an invited group, and no longer when the membership ends', async () => {
    const invited = await server.make.group(`invited${made}`, owner)
    await server.make.member({ namespace: invited }, member, 30)
    await owner.post(`/projects/${project.id}/share`, { group_id: invited.id, group_access: 10 })
    expect((await member.get(`/groups/${top.id}`)).status).toBe(200)
    await owner.delete(`/projects/${project.id}/share/${invited.id}`)
    expect(await member.get(`/groups/${top.id}`)).toMatchObject(notFound)
    expect(await idsAt('/groups')).toEqual([invited.id])
  })

  test('is not shown by a public project, or by one that is being deleted', async () => {
    const open = await server.make.group(`open${made}`, owner, { visibility: 'public' })
    await server.make.project('seen', owner, { namespace: open, visibility: 'public' })
    await server.make.member({ project }, member, 10)
    await server.app.platform.database.write((tx) =>
      tx.updateTable('projects').set({ pending_delete: true }).where('id', '=', project.id).execute(),
    )
    expect(await member.get(`/groups/${top.id}`)).toMatchObject(notFound)
    expect(await idsAt('/groups')).toEqual([])
  })
})
