import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { pathsOf } from '../testing.ts'

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

describe('sharing a group with a group', () => {
  test('gives the members of the one a role in the other, until it ends', async () => {
    const host = await server.make.group('host', owner)
    const friend = await server.user('friend')
    const guests = await server.make.group('guests', friend)
    await server.make.member({ namespace: guests }, owner, 10)
    expect((await friend.get('/groups/host')).status).toBe(404)
    const share = { group_id: guests.id, group_access: 30, expires_at: '2099-01-01' }
    const shared = await owner.post(`/groups/${host.id}/share`, share)
    expect(shared).toMatchObject({
      status: 201,
      body: {
        id: host.id,
        shared_with_groups: [
          {
            group_id: guests.id,
            group_name: 'guests',
            group_full_path: 'guests',
            group_access_level: 30,
            expires_at: '2099-01-01',
            member_role_id: null,
          },
        ],
      },
    })
    expect((await friend.get('/groups/host')).status).toBe(200)
    expect(await owner.post(`/groups/${host.id}/share`, share)).toMatchObject({
      status: 409,
      body: { message: 'Shared group The group has already been shared with this group' },
    })
    const longAgo = { headers: { 'If-Unmodified-Since': 'Wed, 01 Jan 2020 00:00:00 GMT' } }
    expect((await owner.delete(`/groups/${host.id}/share/${guests.id}`, longAgo)).status).toBe(412)
    expect((await friend.get('/groups/host')).status).toBe(200)
    expect((await owner.delete(`/groups/${host.id}/share/${guests.id}`)).status).toBe(204)
    expect((await friend.get('/groups/host')).status).toBe(404)
    const linkNotFound = { status: 404, body: { message: '404 Group Link Not Found' } }
    for (const id of [guests.id, 0, '-1']) {
      expect(await owner.delete(`/groups/${host.id}/share/${id}`)).toMatchObject(linkNotFound)
    }
    expect((await owner.delete(`/groups/${host.id}/share/99999999999999999999`)).status).toBe(404)
    expect(await owner.delete(`/groups/${host.id}/share/guests`)).toMatchObject({
      status: 400,
      body: { error: 'group_id is invalid' },
    })
  })

  test('is seen from both sides', async () => {
    const top = await server.make.group('side-top', owner)
    const sub = await server.make.group('side-sub', owner, { parent: top })
    const one = await server.make.group('side-one', owner)
    const two = await server.make.group('side-two', owner)
    await owner.post(`/groups/${top.id}/share`, { group_id: one.id, group_access: 30 })
    await owner.post(`/groups/${sub.id}/share`, { group_id: two.id, group_access: 10 })
    const invited = (query = '') => owner.get(`/groups/${sub.id}/invited_groups${query}`)
    expect(pathsOf(await invited())).toEqual(['side-one', 'side-two'])
    expect(pathsOf(await invited('?relation=direct'))).toEqual(['side-two'])
    expect(pathsOf(await invited('?relation[]=inherited'))).toEqual(['side-one'])
    expect(pathsOf(await invited('?search=two'))).toEqual(['side-two'])
    expect(pathsOf(await invited('?min_access_level=50'))).toEqual(['side-one', 'side-two'])
    expect(await invited('?relation=other')).toMatchObject({
      status: 400,
      body: { message: { 'relation[0]': ['does not have a valid value'] } },
    })
    expect(pathsOf(await owner.get(`/groups/${one.id}/groups/shared`))).toEqual(['side-top'])
    expect(pathsOf(await owner.get(`/groups/${one.id}/groups/shared?skip_groups=${top.id}`))).toEqual([])
    expect(pathsOf(await owner.get(`/groups/${one.id}/groups/shared?visibility=public`))).toEqual([])
    // A member of the invited group only sees what that role shows.
    const guest = await server.user('side-guest')
    await server.make.member({ namespace: two }, guest, 10)
    expect(pathsOf(await guest.get(`/groups/${two.id}/groups/shared`))).toEqual(['side-sub'])
    const seen = await guest.get(`/groups/${sub.id}`)
    expect(seen.body.shared_with_groups).toMatchObject([{ group_full_path: 'side-two' }])
    expect(pathsOf(await guest.get(`/groups/${sub.id}/invited_groups`))).toEqual(['side-two'])
  })

  test('makes room for a new one when it has run out, and refuses days of the past', async () => {
    const host = await server.make.group('expiry-host', owner)
    const guests = await server.make.group('expiry-guests', owner)
    const share = { group_id: guests.id, group_access: 30 }
    await owner.post(`/groups/${host.id}/share`, share)
    const { database } = server.app.floor
    const link = database.read.selectFrom('group_links').select('id').where('namespace_id', '=', host.id)
    const { id } = await link.executeTakeFirstOrThrow()
    await database.write((tx) =>
      tx.updateTable('group_links').set({ expires_at: '2020-01-01' }).where('id', '=', id).execute(),
    )
    expect((await owner.get(`/groups/${host.id}`)).body.shared_with_groups).toEqual([])
    expect(await owner.post(`/groups/${host.id}/share`, { ...share, expires_at: '2020-01-01' })).toMatchObject({
      status: 400,
      body: { message: { expires_at: ['cannot be a date in the past'] } },
    })
    expect((await owner.post(`/groups/${host.id}/share`, share)).status).toBe(201)
  })

  test('can be kept within the hierarchy', async () => {
    const top = await server.make.group('kept', owner)
    const inside = await server.make.group('inside', owner, { parent: top })
    const sub = await server.make.group('sub', owner, { parent: top })
    const outside = await server.make.group('outside', owner)
    await owner.put(`/groups/${top.id}`, { prevent_sharing_groups_outside_hierarchy: true })
    expect(await owner.post(`/groups/${sub.id}/share`, { group_id: outside.id, group_access: 30 })).toMatchObject({
      status: 404,
      body: { message: 'Not Found' },
    })
    expect((await owner.post(`/groups/${sub.id}/share`, { group_id: inside.id, group_access: 30 })).status).toBe(201)
  })

  test('refuses what is wrong, and those who may not', async () => {
    const host = await server.make.group('refusing', owner, { visibility: 'public' })
    const hidden = await server.make.group('hidden', await server.user('hider'))
    const share = (client: Pick<Person, 'post'>, body: unknown) => client.post(`/groups/${host.id}/share`, body)
    expect(await share(owner, {})).toMatchObject({
      status: 400,
      body: { error: 'group_id is missing, group_access is missing' },
    })
    for (const level of [0, 5, 33, 60]) {
      expect(await share(owner, { group_id: hidden.id, group_access: level })).toMatchObject({
        status: 400,
        body: { error: 'group_access does not have a valid value' },
      })
    }
    for (const id of [hidden.id, 0, '9223372036854775807']) {
      expect(await share(owner, { group_id: id, group_access: 30 })).toMatchObject(groupNotFound)
    }
    const maintainer = await server.user('share-maintainer')
    await server.make.member({ namespace: host }, maintainer, 40)
    expect(await share(maintainer, { group_id: host.id, group_access: 30 })).toMatchObject(forbidden)
    expect(await maintainer.delete(`/groups/${host.id}/share/1`)).toMatchObject(forbidden)
    expect((await share(server.anonymous, {})).status).toBe(401)
  })

  test('of two at once makes one', async () => {
    const host = await server.make.group('share-race', owner)
    const guests = await server.make.group('share-race-guests', owner)
    const share = () => owner.post(`/groups/${host.id}/share`, { group_id: guests.id, group_access: 30 })
    const answers = await Promise.all([share(), share(), share()])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })
})

describe('moving a group', () => {
  test('takes everything below along, with redirects, and lowers the visibility', async () => {
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

  test('refuses where it cannot go', async () => {
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

  test('needs an owner who may create subgroups there', async () => {
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
    const { database } = server.app.floor
    await database.write((tx) =>
      tx.updateTable('users').set({ can_create_group: false }).where('id', '=', owner.id).execute(),
    )
    expect(await owner.post(`/groups/${group.id}/transfer`)).toMatchObject(failed("You don't have enough permissions."))
    await database.write((tx) =>
      tx.updateTable('users').set({ can_create_group: true }).where('id', '=', owner.id).execute(),
    )
  })

  test('says where it can go', async () => {
    const mover = await server.user('mover')
    const group = await server.make.group('loc-group', mover)
    await server.make.group('loc-sub', mover, { parent: group })
    const parent = await server.make.group('loc-parent', mover)
    const child = await server.make.group('loc-child', mover, { parent })
    const maintained = await server.make.group('loc-maintained', owner)
    const closed = await server.make.group('loc-closed', owner)
    const developed = await server.make.group('loc-developed', owner)
    await owner.put(`/groups/${closed.id}`, { subgroup_creation_level: 'owner' })
    for (const namespace of [maintained, closed]) await server.make.member({ namespace }, mover, 40)
    await server.make.member({ namespace: developed }, mover, 30)
    const places = await mover.get(`/groups/${group.id}/transfer_locations`)
    expect(fullPaths(places)).toEqual(['loc-parent', 'loc-parent/loc-child', 'loc-maintained'])
    expect(places.body[0]).toEqual({
      id: parent.id,
      web_url: `${server.url}/groups/loc-parent`,
      name: 'loc-parent',
      avatar_url: null,
      full_name: 'loc-parent',
      full_path: 'loc-parent',
    })
    expect(fullPaths(await mover.get(`/groups/${child.id}/transfer_locations?search=maint`))).toEqual([
      'loc-maintained',
    ])
    expect(fullPaths(await mover.get(`/groups/${child.id}/transfer_locations`))).not.toContain('loc-parent')
    expect(await mover.get(`/groups/${maintained.id}/transfer_locations`)).toMatchObject(forbidden)
  })

  test('two moves of groups into each other never make a circle', async () => {
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
