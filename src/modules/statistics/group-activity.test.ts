import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../infra/clock/index.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { makePlace, openRequest } from '../merge-requests/testing.ts'

let server: TestServer
let clock: ManualClock
let owner: Person
beforeAll(async () => {
  clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  server = await startTestServer({ clock })
  owner = await server.user('owner_of_all')
})
afterAll(() => server.stop())

const count = async (client: Pick<Person, 'get'>, what: string, path: string) => {
  const { status, body } = await client.get(
    `/analytics/group_activity/${what}_count?group_path=${encodeURIComponent(path)}`,
  )
  return status === 200 ? body : [status, body]
}

test('counts what is new in a group and below it, for 90 days', async () => {
  const group = await server.make.group('counted', owner)
  const below = (await owner.post('/groups', { name: 'below', path: 'below', parent_id: group.id })).body
  const project = (await owner.post('/projects', { name: 'app', namespace_id: below.id })).body
  expect(await count(owner, 'issues', 'counted')).toEqual({ issues_count: 0 })
  await owner.post(`/projects/${project.id}/issues`, { title: 'one' })
  await owner.post(`/projects/${project.id}/issues`, { title: 'two' })
  const member = await server.user('new_member')
  const before = (await count(owner, 'new_members', 'counted')) as { new_members_count: number }
  await owner.post(`/groups/${below.id}/members`, { user_id: member.id, access_level: 20 })
  expect(await count(owner, 'new_members', 'counted')).toEqual({ new_members_count: before.new_members_count + 1 })
  expect(await count(owner, 'issues', 'counted/below')).toEqual({ issues_count: 2 })
  expect(await count(owner, 'issues', 'counted')).toEqual({ issues_count: 2 })
  clock.advance(90 * 86_400_000 + 1)
  expect(await count(owner, 'issues', 'counted')).toEqual({ issues_count: 0 })
  expect(await count(owner, 'new_members', 'counted')).toEqual({ new_members_count: 0 })
})

test('counts merge requests that the caller may read', async () => {
  const namespace = await server.make.group('requested', owner)
  const place = await makePlace(server, { namespace })
  await openRequest(place, 'one')
  expect(await count(owner, 'merge_requests', 'requested')).toEqual({ merge_requests_count: 1 })
  await place.tree[Symbol.asyncDispose]()
})

test('is for reporters of the group', async () => {
  const group = await server.make.group('closed', owner)
  const [guest, reporter, stranger] = [
    await server.user('guest_here'),
    await server.user('reporter_here'),
    await server.user('stranger_here'),
  ]
  await owner.post(`/groups/${group.id}/members`, { user_id: guest.id, access_level: 10 })
  await owner.post(`/groups/${group.id}/members`, { user_id: reporter.id, access_level: 20 })
  expect(await count(reporter, 'issues', 'closed')).toEqual({ issues_count: 0 })
  expect(await count(guest, 'issues', 'closed')).toEqual([403, { message: '403 Forbidden' }])
  const unknown = [404, { message: '404 Group Not Found' }]
  expect(await count(stranger, 'issues', 'closed')).toEqual(unknown)
  for (const path of ['none', 'owner_of_all', 'x'.repeat(3000)]) {
    expect(await count(reporter, 'issues', path), path.slice(0, 20)).toEqual(unknown)
  }
  expect((await count(server.anonymous, 'issues', 'closed'))[0]).toBe(401)
  expect(await reporter.get('/analytics/group_activity/issues_count')).toMatchObject({
    status: 400,
    body: { error: 'group_path is missing' },
  })
})
