import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('olga')
})
afterAll(() => server.stop())

const fullPaths = ({ body }: Answer) => body.map((group: { full_path: string }) => group.full_path)
const groupNotFound = { status: 404, body: { message: '404 Group Not Found' } }
const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const failed = (reason: string) => ({ status: 400, body: { message: `Transfer failed: ${reason}` } })

describe('moving a group', () => {
  test('moves everything below, redirects old paths and lowers the visibility', async () => {
    const target = await server.make.group('target', owner)
    const moved = await server.make.group('moved', owner, { visibility: 'public' })
    const sub = await server.make.group('sub', owner, { parent: moved, visibility: 'public' })
    const project = await server.make.project('thing', owner, { namespace: sub, visibility: 'public' })
    const answer = await owner.post(`/groups/${moved.id}/transfer`, { group_id: target.id })
    expect(answer).toMatchObject({
      status: 201,
      body: { full_path: 'target/moved', full_name: 'target / moved', parent_id: target.id, visibility: 'private' },
    })
    expect((await owner.get(`/groups/${sub.id}`)).body).toMatchObject({
      full_path: 'target/moved/sub',
      visibility: 'private',
    })
    expect((await server.anonymous.get(`/projects/${project.id}/repository/branches`)).status).toBe(404)
    expect((await owner.get('/projects/moved%2Fsub%2Fthing/repository/branches')).status).toBe(301)
    expect((await owner.get('/groups/moved')).status).toBe(404)
    expect(fullPaths(await owner.get('/groups/target/descendant_groups'))).toEqual(['target/moved', 'target/moved/sub'])
    const reader = await server.user('transfer-reader')
    await server.make.member({ namespace: target }, reader, 10)
    expect((await reader.get(`/groups/${sub.id}`)).status).toBe(200)
    const up = await owner.post(`/groups/${moved.id}/transfer`)
    expect(up).toMatchObject({ status: 201, body: { full_path: 'moved', full_name: 'moved', parent_id: null } })
    expect((await reader.get(`/groups/${sub.id}`)).status).toBe(404)
    expect(fullPaths(await owner.get('/groups/target/descendant_groups'))).toEqual([])
    expect(fullPaths(await owner.get('/groups/moved/descendant_groups'))).toEqual(['moved/sub'])
  })

  test('refuses impossible destinations', async () => {
    const top = await server.make.group('refuse-top', owner)
    const sub = await server.make.group('refuse-sub', owner, { parent: top })
    const leaf = await server.make.group('refuse-leaf', owner, { parent: sub })
    const other = await server.make.group('refuse-other', owner)
    const move = (id: number, group_id?: number | string) => owner.post(`/groups/${id}/transfer`, { group_id })
    expect(await move(top.id)).toMatchObject(failed('Group is already a root group.'))
    expect(await move(sub.id, top.id)).toMatchObject(failed('Group is already associated to the parent group.'))
    for (const into of [top.id, sub.id, leaf.id]) {
      expect(await move(top.id, into)).toMatchObject(failed('Cannot transfer group to one of its subgroup.'))
    }
    const samePath = failed('The parent group already has a subgroup or a project with the same path.')
    await server.make.group('refuse-sub', owner)
    expect(await move(sub.id)).toMatchObject(samePath)
    await server.make.project('refuse-sub', owner, { namespace: other })
    expect(await move(sub.id, other.id)).toMatchObject(samePath)
    expect(await move(sub.id, 99_999_999)).toMatchObject(groupNotFound)
    expect(await move(sub.id, 'x')).toMatchObject({ status: 400, body: { error: 'group_id is invalid' } })
    let deep = await server.make.group('refuse-deep', owner)
    for (let depth = 1; depth <= 18; depth += 1) deep = await server.make.group(`d${depth}`, owner, { parent: deep })
    expect(await move(top.id, deep.id)).toMatchObject(failed('Parent has too deep level of nesting.'))
    expect((await move(sub.id, deep.id)).status).toBe(201)
  })

  test('requires an owner who may create subgroups at the destination', async () => {
    const group = await server.make.group('right-group', owner)
    const target = await server.make.group('right-target', await server.user('right-other'))
    const move = (client: Pick<Person, 'post'>) => client.post(`/groups/${group.id}/transfer`, { group_id: target.id })
    expect(await move(owner)).toMatchObject(groupNotFound)
    await server.make.member({ namespace: target }, owner, 30)
    expect(await move(owner)).toMatchObject(failed("You don't have enough permissions."))
    const maintainer = await server.user('right-maintainer')
    for (const namespace of [group, target]) await server.make.member({ namespace }, maintainer, 40)
    expect(await move(maintainer)).toMatchObject(forbidden)
    expect((await move(server.anonymous)).status).toBe(401)
    expect((await move(server.root)).status).toBe(201)
    // Back to the top only with the right to make groups there.
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('users').set({ can_create_group: false }).where('id', '=', owner.id).execute(),
    )
    expect(await owner.post(`/groups/${group.id}/transfer`)).toMatchObject(failed("You don't have enough permissions."))
    await database.write((tx) =>
      tx.updateTable('users').set({ can_create_group: true }).where('id', '=', owner.id).execute(),
    )
  })

  test('lists the possible destinations', async () => {
    const writer = await server.user('writer')
    const group = await server.make.group('loc-group', writer)
    await server.make.group('loc-sub', writer, { parent: group })
    const parent = await server.make.group('loc-parent', writer)
    const child = await server.make.group('loc-child', writer, { parent })
    const maintained = await server.make.group('loc-maintained', owner)
    const closed = await server.make.group('loc-closed', owner)
    const developed = await server.make.group('loc-developed', owner)
    await owner.put(`/groups/${closed.id}`, { subgroup_creation_level: 'owner' })
    for (const namespace of [maintained, closed]) await server.make.member({ namespace }, writer, 40)
    await server.make.member({ namespace: developed }, writer, 30)
    const places = await writer.get(`/groups/${group.id}/transfer_locations`)
    expect(fullPaths(places)).toEqual(['loc-parent', 'loc-parent/loc-child', 'loc-maintained'])
    expect(places.body[0]).toEqual({
      id: parent.id,
      web_url: `${server.url}/groups/loc-parent`,
      name: 'loc-parent',
      avatar_url: null,
      full_name: 'loc-parent',
      full_path: 'loc-parent',
    })
    expect(fullPaths(await writer.get(`/groups/${child.id}/transfer_locations?search=maint`))).toEqual([
      'loc-maintained',
    ])
    expect(fullPaths(await writer.get(`/groups/${child.id}/transfer_locations`))).not.toContain('loc-parent')
    expect(await writer.get(`/groups/${maintained.id}/transfer_locations`)).toMatchObject(forbidden)
  })

  test('never creates a circle by two concurrent moves', async () => {
    for (let round = 0; round < 4; round += 1) {
      const a = await server.make.group(`circle-a${round}`, owner)
      const b = await server.make.group(`circle-b${round}`, owner)
      const answers = await Promise.all([
        owner.post(`/groups/${a.id}/transfer`, { group_id: b.id }),
        owner.post(`/groups/${b.id}/transfer`, { group_id: a.id }),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    }
  })
})
