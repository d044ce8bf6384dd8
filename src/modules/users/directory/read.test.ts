import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ManualClock } from '../../../index.ts'
import type { Person, TestServer } from '../../../testing/index.ts'
import { basicMembers, changeUser, startWithAliceAndBob, usernamesOf } from '../testing.ts'

let server: TestServer
let clock: ManualClock
let alice: Person
let bob: Person
beforeAll(async () => {
  ;({ server, clock, alice, bob } = await startWithAliceAndBob())
})
afterAll(() => server.stop())

describe('the current user', () => {
  test('reads its own account; administrators see more fields', async () => {
    const own = await alice.get('/user')
    expect(own.status).toBe(200)
    expect(own.body).toMatchObject({ username: 'alice', email: 'alice@example.com', last_activity_on: '2026-03-01' })
    expect(own.body).not.toHaveProperty('is_admin')
    expect(own.body).not.toHaveProperty('note')
    const root = await server.root.get('/user')
    expect(root.body).toMatchObject({ id: 1, username: 'root', is_admin: true, name: 'Administrator' })
    expect(root.body).not.toHaveProperty('sign_in_count')
    const asAlice = await server.root.get('/user', { headers: { Sudo: 'alice' } })
    expect(asAlice.body).toMatchObject({ username: 'alice' })
    expect(asAlice.body).not.toHaveProperty('is_admin')
  })

  test('is not found for an invalid username', async () => {
    const answer = await server.root.get('/user?sudo=%00')
    expect(answer).toMatchObject({
      status: 404,
      body: { message: "404 User with ID or username '\u0000' Not Found" },
    })
  })

  test('requires a token with a scope for reading', async () => {
    for (const scope of ['api', 'read_api', 'read_user']) {
      const token = await server.make.token(alice, [scope])
      expect((await server.as(token).get('/user')).status).toBe(200)
    }
    const other = server.as(await server.make.token(alice, ['read_repository']))
    const refused = await other.get('/user')
    expect(refused.status).toBe(403)
    expect(refused.body).toEqual({
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
      scope: 'api read_user read_api',
    })
  })
})

describe('a single user', () => {
  test('is shown to other users without private fields', async () => {
    const { status, body } = await bob.get(`/users/${alice.id}`)
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(
      (
        `${basicMembers} created_at bio location skype linkedin twitter discord website_url organization job_title pronouns bot ` +
        'work_information followers following is_followed local_time'
      )
        .split(' ')
        .sort(),
    )
    expect((await bob.head(`/users/${alice.id}`)).status).toBe(200)
  })

  test('is shown completely to administrators', async () => {
    const group = await server.make.group('detail', alice)
    const { body } = await server.root.get(`/users/${alice.id}`)
    expect(group.id).toBeGreaterThan(0)
    expect(body).toMatchObject({
      is_admin: false,
      sign_in_count: 0,
      current_sign_in_ip: null,
      last_sign_in_ip: null,
      highest_role: 50,
      plan: 'default',
      trial: false,
    })
  })

  test('with a private profile hides its time of creation', async () => {
    const shy = await server.user('shy')
    await changeUser(server, shy.id, { private_profile: true, bio: 'hello' })
    const seen = (await bob.get(`/users/${shy.id}`)).body
    expect(seen).toMatchObject({ username: 'shy', bio: 'hello' })
    for (const name of ['created_at', 'followers', 'following', 'is_followed']) expect(seen).not.toHaveProperty(name)
    expect((await shy.get(`/users/${shy.id}`)).body).toHaveProperty('created_at')
    expect((await server.root.get(`/users/${shy.id}`)).body).toHaveProperty('created_at')
  })

  test('is not found when there is none', async () => {
    expect((await server.root.get('/users/99999999999999999999999')).status).toBe(404)
    for (const id of ['999999', '9007199254740993', '-1', '0']) {
      const { status, body } = await server.root.get(`/users/${id}`)
      expect({ status, body }).toEqual({ status: 404, body: { message: '404 User Not Found' } })
    }
    for (const id of ['alice', '1.5', '1%2F2', '%20', '1;drop']) {
      const { status, body } = await server.root.get(`/users/${id}`)
      expect({ status, body }).toEqual({ status: 404, body: { error: '404 Not Found', message: '404 Not Found' } })
    }
  })

  test('is answered with 403 for anonymous users', async () => {
    const { status, body } = await server.anonymous.get(`/users/${alice.id}`)
    expect({ status, body }).toEqual({ status: 403, body: { message: '403 Forbidden - Not authorized!' } })
    expect((await server.as('glpat-nonsense-nonsense').get(`/users/${alice.id}`)).status).toBe(401)
  })

  test('can be read 300 times in ten minutes', async () => {
    await server.root.put('/application/settings', { users_get_by_id_limit: 3 })
    const reader = await server.user('reader')
    for (let count = 0; count < 2; count += 1) expect((await reader.get(`/users/${alice.id}`)).status).toBe(200)
    expect((await reader.get('/users/999999')).status).toBe(404)
    const { status, body, headers } = await reader.get(`/users/${alice.id}`)
    expect({ status, body }).toEqual({
      status: 429,
      body: { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
    })
    expect(headers.get('retry-after')).toBe('600')
    expect((await server.root.get(`/users/${alice.id}`)).status).toBe(200)
    expect((await bob.get('/user')).status).toBe(200)
    clock.advance(600_000)
    expect((await reader.get(`/users/${alice.id}`)).status).toBe(200)
    await server.root.put('/application/settings', { users_get_by_id_limit: 300 })
  })

  test('is read without a limit by users whom the setting lists', async () => {
    const set = (value: object) => server.root.put('/application/settings', value)
    const [listed, other] = [await server.user('listed.one'), await server.user('listed')]
    await set({ users_get_by_id_limit: 1, users_get_by_id_limit_allowlist_raw: 'someone\nLISTED.one, üser' })
    const statusesOf = async (reader: Person) => [
      (await reader.get(`/users/${alice.id}`)).status,
      (await reader.get(`/users/${alice.id}`)).status,
    ]
    expect([await statusesOf(listed), await statusesOf(other)]).toEqual([
      [200, 200],
      [200, 429],
    ])
    await set({ users_get_by_id_limit_allowlist_raw: '' })
    expect(await statusesOf(listed)).toEqual([200, 429])
    expect((await other.put('/application/settings', { users_get_by_id_limit_allowlist_raw: 'listed' })).status).toBe(
      403,
    )
    const long = { users_get_by_id_limit_allowlist_raw: 'x'.repeat(1024 * 1024 + 1) }
    expect((await set(long)).status).toBe(400)
    await set({ users_get_by_id_limit: 300 })
  })
})

describe('an external user', () => {
  test('sees the users with whom it shares a group or project', async () => {
    const outsider = await server.user('outsider')
    const mate = await server.user('mate')
    const above = await server.user('above')
    const below = await server.user('below')
    const neighbour = await server.user('neighbour')
    const stranger = await server.user('stranger')
    const parent = await server.make.group('ext-parent', above)
    const group = await server.make.group('ext-child', mate, { parent })
    const project = await server.make.project('inside', below, { namespace: group })
    await server.make.member({ project }, below, 30)
    const owned = await server.make.project('owned', neighbour)
    await changeUser(server, outsider.id, { external: true })
    expect(usernamesOf(await outsider.get('/users'))).toEqual(['outsider'])
    await server.make.member({ namespace: group }, outsider, 10)
    await server.make.member({ project: owned }, outsider, 10)
    expect(usernamesOf(await outsider.get('/users?sort=asc'))).toEqual([
      'outsider',
      'mate',
      'above',
      'below',
      'neighbour',
    ])
    for (const known of [mate, above, below, neighbour, outsider]) {
      expect((await outsider.get(`/users/${known.id}`)).status).toBe(200)
    }
    const unknown = await outsider.get(`/users/${stranger.id}`)
    expect({ status: unknown.status, body: unknown.body }).toEqual({
      status: 404,
      body: { message: '404 User Not Found' },
    })
    expect((await outsider.get('/users?username=stranger')).body).toEqual([])
  })
})

test('a user can create projects up to the limit', async () => {
  const user = await server.user('limited')
  const canCreate = async () => (await user.get('/user')).body.can_create_project
  const limitTo = (projects_limit: number) => server.root.put(`/users/${user.id}`, { projects_limit })
  await limitTo(0)
  expect(await canCreate()).toBe(false)
  await limitTo(2)
  await server.make.project('first', user)
  expect(await canCreate()).toBe(true)
  await server.make.project('second', user)
  expect(await canCreate()).toBe(false)
  await limitTo(1_000)
  expect(await canCreate()).toBe(true)
})
