import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let owner: Person
let guest: Person
let stranger: Person
let group: Awaited<ReturnType<TestServer['make']['group']>>
let epic: { id: number; iid: number }

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  guest = await server.user('guest')
  stranger = await server.user('stranger')
  group = await server.make.group('team', owner)
  await server.make.member({ namespace: group }, guest, 10)
  // Ids and iids differ.
  await owner.post(`/groups/${(await server.make.group('other', owner)).id}/epics`, { title: 'other' })
  epic = (await owner.post(`/groups/${group.id}/epics`, { title: 'E', labels: 'a,b' })).body
  await owner.put(`/groups/${group.id}/epics/${epic.iid}`, { add_labels: 'c', remove_labels: 'a' })
  await owner.put(`/groups/${group.id}/epics/${epic.iid}`, { state_event: 'close' })
})
afterAll(() => server.stop())

const path = (kind: string, id: number | string = epic.id, parent: { id: number } = group) =>
  `/groups/${parent.id}/epics/${id}/resource_${kind}_events`

test('label events of an epic are found by its id, as deprecated', async () => {
  const { status, headers, body } = await guest.get(path('label'))
  expect([status, headers.get('deprecation'), headers.get('x-total')]).toEqual([200, 'true', '4'])
  expect(
    body.map(({ action, label }: { action: string; label: { name: string } }) => `${action} ${label.name}`),
  ).toEqual([...['add a', 'add b', 'add c', 'remove a']])
  expect(body[0]).toMatchObject({ resource_type: 'Epic', resource_id: epic.id, user: { id: owner.id } })
  expect((await guest.get(`${path('label')}/${body[0].id}`)).body).toEqual(body[0])
})

test('state events of an epic record that it was closed', async () => {
  const { body } = await guest.get(path('state'))
  expect(body).toMatchObject([{ state: 'closed', resource_type: 'Epic', source_commit: null }])
  expect((await guest.get(`${path('state')}/${body[0].id}`)).body).toEqual(body[0])
})

test('an epic of another group, a hidden one and an unknown event are 404', async () => {
  const unknown = { status: 404, body: { message: '404 Not found' } }
  expect(await guest.get(path('label', 99_999_999))).toMatchObject(unknown)
  expect(await guest.get(`${path('label')}/99999999`)).toMatchObject(unknown)
  expect(await guest.get(path('label', 'x'))).toMatchObject({ status: 400, body: { error: 'epic_id is invalid' } })
  const sub = await server.make.group('sub', owner, { parent: group })
  expect(await owner.get(path('label', epic.id, sub))).toMatchObject(unknown)
  const secret = (await owner.post(`/groups/${group.id}/epics`, { title: 'S', confidential: true, labels: 'a' })).body
  expect(await guest.get(path('label', secret.id))).toMatchObject(unknown)
  expect((await owner.get(path('label', secret.id))).body).toHaveLength(1)
  expect(await stranger.get(path('label'))).toMatchObject({ status: 404, body: { message: '404 Group Not Found' } })
  expect(await server.anonymous.get(path('label'))).toMatchObject({ status: 401 })
})
