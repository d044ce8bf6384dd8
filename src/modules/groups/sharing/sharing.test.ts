import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { pathsOf } from '../testing.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('olga')
})
afterAll(() => server.stop())

const groupNotFound = { status: 404, body: { message: '404 Group Not Found' } }
const forbidden = { status: 403, body: { message: '403 Forbidden' } }

describe('sharing a group with a group', () => {
  test('gives members of the invited group a role until it ends', async () => {
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

  test('appears in the lists of both groups', async () => {
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

  test('replaces an expired invitation, and refuses past days', async () => {
    const host = await server.make.group('expiry-host', owner)
    const guests = await server.make.group('expiry-guests', owner)
    const share = { group_id: guests.id, group_access: 30 }
    await owner.post(`/groups/${host.id}/share`, share)
    const { database } = server.app.platform
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

  test('can be restricted to the hierarchy', async () => {
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

  test('refuses invalid requests and callers without the right', async () => {
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

  test('succeeds once for concurrent requests', async () => {
    const host = await server.make.group('share-race', owner)
    const guests = await server.make.group('share-race-guests', owner)
    const share = () => owner.post(`/groups/${host.id}/share`, { group_id: guests.id, group_access: 30 })
    const answers = await Promise.all([share(), share(), share()])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })
})
