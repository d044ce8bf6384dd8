import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makePeople, type People, startTestServer, type TestServer } from '../../../testing/index.ts'
import { type ProjectWithFlags, projectWithFlags } from '../testing.ts'

let server: TestServer
let people: People
let place: ProjectWithFlags
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
})
afterAll(() => server.stop())
beforeEach(async () => {
  place = await projectWithFlags(server, people)
})

const xids = 'User xids user_xids must be a string of unique comma separated values each 256 characters or less'

test('a list is created, read, changed and deleted', async () => {
  const { status, body: list } = await people.developer.post(place.lists, { name: 'l', user_xids: 'a,b' })
  const path = `/${place.path}/-/feature_flags_user_lists/1`
  expect([status, list]).toEqual([
    201,
    {
      ...{ id: expect.any(Number), iid: 1, project_id: place.project.id, name: 'l', user_xids: 'a,b' },
      ...{ created_at: expect.any(String), updated_at: expect.any(String), path, edit_path: `${path}/edit` },
    },
  ])
  expect((await people.developer.get(`${place.lists}/1`)).body).toEqual(list)
  const changed = await people.developer.put(`${place.lists}/1`, { user_xids: '' })
  expect([changed.status, changed.body]).toEqual([200, { ...list, user_xids: '', updated_at: expect.any(String) }])
  expect((await people.developer.put(`${place.lists}/1`, {})).status).toBe(200)
  const early = { headers: { 'If-Unmodified-Since': 'Mon, 01 Jan 2001 00:00:00 GMT' } }
  expect((await people.developer.delete(`${place.lists}/1`, early)).status).toBe(412)
  expect((await people.developer.delete(`${place.lists}/1`)).status).toBe(204)
  expect((await people.developer.delete(`${place.lists}/1`)).status).toBe(404)
  expect((await place.list('l', 'a')).iid).toBe(2)
})

test.each<[object, unknown]>([
  [{ name: 'l' }, 'user_xids is missing'],
  [{ user_xids: 'a' }, 'name is missing'],
  [{ name: ' ', user_xids: 'a' }, ["Name can't be blank"]],
  [{ name: 'x'.repeat(256), user_xids: 'a' }, ['Name is too long (maximum is 255 characters)']],
  [{ name: 'l', user_xids: 'a,,b' }, [xids]],
  [{ name: 'l', user_xids: ' a' }, [xids]],
  [{ name: 'l', user_xids: 'a,b,a' }, [xids]],
  [{ name: 'l', user_xids: 'x'.repeat(257) }, [xids]],
  [{ name: 'l', user_xids: Array.from({ length: 10_001 }, (_, index) => index).join(',') }, [xids]],
  [{ name: { a: 1 }, user_xids: 'a' }, 'name is invalid'],
])('is refused', async (body, problem) => {
  const answer = await people.developer.post(place.lists, body)
  expect([answer.status, answer.body.error ?? answer.body.message]).toEqual([400, problem])
})

test('names are unique in a project', async () => {
  await place.list('l', '')
  await place.list('m', '')
  const taken = { message: ['Name has already been taken'] }
  expect(await people.developer.post(place.lists, { name: 'l', user_xids: '' })).toMatchObject({
    status: 400,
    body: taken,
  })
  expect(await people.developer.put(`${place.lists}/2`, { name: 'l' })).toMatchObject({ status: 400, body: taken })
  await (await projectWithFlags(server, people)).list('l', '')
})

test('a list that a strategy uses is not deleted', async () => {
  const list = await place.list('l', 'a')
  await place.flag('ff', [{ name: 'gitlabUserList', parameters: {}, user_list_id: list.id }])
  const { status, body } = await people.developer.delete(`${place.lists}/1`)
  expect([status, body]).toEqual([409, { message: ['User list is associated with a strategy'] }])
  await people.developer.delete(`${place.flags}/ff`)
  expect((await people.developer.delete(`${place.lists}/1`)).status).toBe(204)
})

test('lists are found by words in their names', async () => {
  for (const name of ['Beta testers', 'beta 100%', 'Staff']) await place.list(name, '')
  const found = async (search: string) =>
    (await people.developer.get(`${place.lists}?search=${encodeURIComponent(search)}`)).body.map(
      ({ name }: { name: string }) => name,
    )
  expect(await found('')).toEqual(['Beta testers', 'beta 100%', 'Staff'])
  expect(await found('BETA')).toEqual(['Beta testers', 'beta 100%'])
  expect(await found('ters  bet')).toEqual(['Beta testers'])
  expect(await found('%')).toEqual(['beta 100%'])
  expect(await found('x')).toEqual([])
})

test('an iid that is none names no list', async () => {
  for (const iid of ['0', '2', 'x', '-1', '1.5', '2147483648', '99999999999999999999', '%F0%9F%A6%8A']) {
    expect([iid, (await people.developer.get(`${place.lists}/${iid}`)).status]).toEqual([iid, 404])
  }
})

test('developers have lists, others do not', async () => {
  await place.list('l', '')
  const refused = { reporter: 403, guest: 403, outsider: 404, anonymous: 401 }
  for (const [name, status] of Object.entries(refused)) {
    const client = name === 'anonymous' ? server.anonymous : people[name as keyof People]
    const answers = [
      await client.get(place.lists),
      await client.get(`${place.lists}/1`),
      await client.post(place.lists, { name: 'no', user_xids: '' }),
      await client.put(`${place.lists}/1`, { name: 'no' }),
      await client.delete(`${place.lists}/1`),
    ]
    expect([name, answers.map((answer) => answer.status)]).toEqual([name, answers.map(() => status)])
  }
})
