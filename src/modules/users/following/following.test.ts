import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import { basicMembers, changeUser, usernamesOf } from '../testing.ts'

let server: TestServer
let alice: Person
let bob: Person
let carol: Person

beforeAll(async () => {
  server = await startTestServer()
  alice = await server.user('alice')
  bob = await server.user('bob')
  carol = await server.user('carol')
})
afterAll(() => server.stop())

test('a user is followed once, and counted', async () => {
  const follow = (person: Person, id: number) => person.post(`/users/${id}/follow`)
  const first = await follow(alice, bob.id)
  expect([first.status, Object.keys(first.body).join(' ')]).toEqual([201, basicMembers])
  expect(first.body.username).toBe('bob')
  expect(await follow(alice, bob.id)).toMatchObject({ status: 304, body: '' })
  expect(
    (await Promise.all([follow(carol, bob.id), follow(carol, bob.id)])).map(({ status }) => status).sort(),
  ).toEqual([201, 304])
  expect(await follow(alice, alice.id)).toMatchObject({ status: 400, body: { message: "You can't follow yourself" } })
  expect((await follow(alice, 99_999_999)).body).toEqual({ message: '404 User Not Found' })
  expect((await follow(alice, 'x' as unknown as number)).body).toMatchObject({ error: '404 Not Found' })
  expect(usernamesOf(await carol.get(`/users/${bob.id}/followers`))).toEqual(['carol', 'alice'])
  expect(usernamesOf(await bob.get(`/users/${alice.id}/following`))).toEqual(['bob'])
  expect((await alice.get(`/users/${bob.id}`)).body).toMatchObject({ followers: 2, following: 0, is_followed: true })
  expect((await bob.get(`/users/${alice.id}`)).body).toMatchObject({ followers: 0, following: 1, is_followed: false })
})

test('ends by unfollowing, and users who are blocked or removed do not count', async () => {
  expect((await alice.post(`/users/${bob.id}/unfollow`)).status).toBe(201)
  expect((await alice.post(`/users/${bob.id}/unfollow`)).status).toBe(304)
  const followers = async () => usernamesOf(await alice.get(`/users/${bob.id}/followers`))
  expect(await followers()).toEqual(['carol'])
  await server.root.post(`/users/${carol.id}/block`)
  expect(await followers()).toEqual([])
  expect((await alice.get(`/users/${bob.id}`)).body.followers).toBe(0)
  await server.root.post(`/users/${carol.id}/unblock`)
  const dora = await server.user('dora')
  await dora.post(`/users/${bob.id}/follow`)
  await server.root.delete(`/users/${dora.id}`)
  expect(await followers()).toEqual(['carol'])
})

test('a private profile hides followers', async () => {
  await changeUser(server, bob.id, { private_profile: true })
  expect((await alice.get(`/users/${bob.id}/followers`)).status).toBe(404)
  expect((await alice.get(`/users/${bob.id}/following`)).status).toBe(404)
  expect((await bob.get(`/users/${bob.id}/followers`)).status).toBe(200)
  expect((await server.root.get(`/users/${bob.id}/followers`)).status).toBe(200)
})

test('lists take as many queries for one follower as for many', async () => {
  const known = await server.user('known')
  await alice.post(`/users/${known.id}/follow`)
  const ask = () => queriesOf(server, () => alice.get(`/users/${known.id}/followers`))
  const few = await ask()
  for (let index = 0; index < 10; index += 1) {
    const fan = await server.user(`fan${index}`)
    await fan.post(`/users/${known.id}/follow`)
  }
  expect(await ask()).toBe(few)
  const page = await alice.get(`/users/${known.id}/followers?per_page=4&page=3`)
  expect([page.body.length, page.headers.get('x-total')]).toEqual([3, '11'])
})
