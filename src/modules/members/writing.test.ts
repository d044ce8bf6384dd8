import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayAfter } from '../../api/index.ts'
import { manualClock } from '../../infra/clock/index.ts'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { freshName } from './testing.ts'

let server: TestServer
let owner: Person
let maintainer: Person
let outsider: Person
const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })

beforeAll(async () => {
  server = await startTestServer({ clock })
  ;[owner, maintainer, outsider] = await Promise.all([
    server.user('owner'),
    server.user('maintainer'),
    server.user('outsider'),
  ])
})
afterAll(() => server.stop())

/** The day so many days from today, as the server sees it. */
const day = (days: number) => dayAfter(clock.now(), days)

/** A group of `owner` with `maintainer` in it, or a project in such a group; and where its members are. */
async function placeOf(kind: 'group' | 'project', visibility: 'private' | 'public' = 'private') {
  const group = await server.make.group(freshName('group'), owner, { visibility })
  const project = await server.make.project(freshName('project'), owner, { namespace: group, visibility })
  await server.make.member(kind === 'group' ? { namespace: group } : { project }, maintainer, 40)
  const id = kind === 'group' ? group.id : project.id
  return { group, project, members: `/${kind}s/${id}/members` }
}

const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const recordNotFound = { status: 404, body: { message: '404 Not found' } }
const refused = (message: unknown) => ({ status: 400, body: { message } })

describe.each(['group', 'project'] as const)('adding to a %s', (kind) => {
  test('gives the role', async () => {
    const { members } = await placeOf(kind)
    const person = await server.user(freshName('person'))
    const place = members.replace('/members', '')
    expect((await person.get(members)).status).toBe(404)
    const added = await owner.post(members, { user_id: person.id, access_level: 10 })
    expect(added).toMatchObject({ status: 201, body: { id: person.id, access_level: 10, expires_at: null } })
    const rest = ['access_level', 'created_at', 'created_by', 'expires_at', 'membership_state']
    expect(Object.keys(added.body).filter((name) => rest.includes(name))).toEqual(rest)
    expect((await person.get(`${place}/members/${person.id}`)).status).toBe(200)
  })

  test('finds the user by name in any case, and accepts forms', async () => {
    const { members } = await placeOf(kind)
    const person = await server.user(freshName('Named'))
    const form = new URLSearchParams({ username: person.username.toUpperCase(), access_level: '20' })
    expect(await owner.post(members, form)).toMatchObject({ status: 201, body: { id: person.id, access_level: 20 } })
  })

  test('accepts every level, minimal access in groups only', async () => {
    const { members } = await placeOf(kind)
    for (const level of [5, 10, 15, 20, 30, 40, 50]) {
      const { id } = await server.user(freshName('person'))
      const answer = await owner.post(members, { user_id: id, access_level: level })
      const isUnknown = kind === 'project' && level === 5
      expect(answer.status).toBe(isUnknown ? 400 : 201)
    }
  })

  test.each([-1, 0, 1, 33, 45, 60, 2 ** 53])('refuses the level %d', async (level) => {
    const { members } = await placeOf(kind)
    const answer = await owner.post(members, { user_id: outsider.id, access_level: level })
    expect(answer).toMatchObject(refused({ access_level: ['is not included in the list'] }))
  })

  test('refuses direct members, before all other problems', async () => {
    const { members } = await placeOf(kind)
    const wanted = { user_id: maintainer.id, access_level: 33, expires_at: '2020-01-01' }
    expect(await owner.post(members, wanted)).toMatchObject({ status: 409, body: { message: 'Member already exists' } })
  })

  test('succeeds once for concurrent requests', async () => {
    const { members } = await placeOf(kind)
    const person = await server.user(freshName('person'))
    const wanted = { user_id: person.id, access_level: 10 }
    const answers = await Promise.all(Array.from({ length: 6 }, () => owner.post(members, wanted)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409])
  })

  test('accepts future days only', async () => {
    const { members } = await placeOf(kind)
    const person = await server.user(freshName('person'))
    for (const past of ['2020-01-01', day(-1), day(0)]) {
      const answer = await owner.post(members, { user_id: person.id, access_level: 10, expires_at: past })
      expect(answer).toMatchObject(refused({ expires_at: ['cannot be a date in the past'] }))
    }
    const odd = await owner.post(members, { user_id: person.id, access_level: 33, expires_at: '2026-02-30' })
    expect(odd).toMatchObject({ status: 400, body: { error: 'expires_at is invalid' } })
    const both = await owner.post(members, { user_id: person.id, access_level: 33, expires_at: '2020-01-01' })
    const fields = { access_level: ['is not included in the list'], expires_at: ['cannot be a date in the past'] }
    expect(both).toMatchObject(refused(fields))
    const tomorrow = await owner.post(members, { user_id: person.id, access_level: 10, expires_at: day(1) })
    expect(tomorrow).toMatchObject({ status: 201, body: { expires_at: day(1) } })
  })

  test('replaces an expired membership', async () => {
    const { members } = await placeOf(kind)
    const person = await server.user(freshName('person'))
    await owner.post(members, { user_id: person.id, access_level: 10, expires_at: day(1) })
    clock.advance(86_400_000)
    expect(await owner.get(`${members}/${person.id}`)).toMatchObject(recordNotFound)
    expect(await owner.put(`${members}/${person.id}`, { access_level: 20 })).toMatchObject(recordNotFound)
    const again = await owner.post(members, { user_id: person.id, access_level: 20 })
    expect(again).toMatchObject({ status: 201, body: { access_level: 20, expires_at: null } })
  })

  test('names missing and exclusive parameters', async () => {
    const { members } = await placeOf(kind)
    const errors: [object, string][] = [
      [{}, 'access_level is missing'],
      [{ user_id: outsider.id }, 'access_level is missing'],
      [{ access_level: 30 }, 'user_id, username are missing, at least one parameter must be provided'],
      [{ access_level: 30, user_id: '' }, 'user_id, username are missing, at least one parameter must be provided'],
      [{ access_level: 30, user_id: 1, username: 'root' }, 'user_id, username are mutually exclusive'],
      [{ access_level: 'x', user_id: 1 }, 'access_level is invalid'],
      [{ access_level: 30.5, user_id: 1 }, 'access_level is invalid'],
      [{ access_level: 30, user_id: 'x' }, 'user_id is invalid'],
      [{ access_level: 30, user_id: '1,x' }, 'user_id is invalid'],
      [{ access_level: 30, user_id: ',' }, 'user_id is invalid'],
      [{ access_level: 30, user_id: { a: 1 } }, 'user_id is invalid'],
      [{ access_level: 30, username: 'a\u0000b' }, 'username is invalid'],
      [{ access_level: 30, user_id: 1, expires_at: 'tomorrow' }, 'expires_at is invalid'],
    ]
    for (const [body, error] of errors) {
      expect(await owner.post(members, body), JSON.stringify(body)).toMatchObject({ status: 400, body: { error } })
    }
  })

  test.each([[999_999], ['9223372036854775807'], [0], [-5]])('does not find the user %s', async (id) => {
    const { members } = await placeOf(kind)
    const answer = await owner.post(members, { user_id: id, access_level: 30 })
    expect(answer).toMatchObject({ status: 404, body: { message: '404 User Not Found' } })
    const named = await owner.post(members, { username: `nobody\u{1f98a}${id}`, access_level: 30 })
    expect(named).toMatchObject({ status: 404, body: { message: '404 User Not Found' } })
  })

  test('adds several users independently', async () => {
    const { members } = await placeOf(kind)
    const [first, second] = [await server.user(freshName('person')), await server.user(freshName('person'))]
    const well = await owner.post(members, { user_id: `${first.id}, ${second.id}`, access_level: 20 })
    expect(well).toMatchObject({ status: 201, body: { status: 'success' } })
    expect(Object.keys(well.body)).toEqual(['status'])
    const third = await server.user(freshName('person'))
    const names = `${first.username},${third.username},nobody`
    const partly = await owner.post(members, { username: names, access_level: 20 })
    expect(partly).toMatchObject({ status: 201 })
    expect(partly.body).toEqual({
      status: 'error',
      message: { [first.username]: 'Member already exists', nobody: 'User Not Found' },
    })
    expect((await owner.get(`${members}/${third.id}`)).body.access_level).toBe(20)
    const fourth = await server.user(freshName('person'))
    const wrong = await owner.post(members, { user_id: [fourth.id, 77_777], access_level: 33 })
    expect(wrong.body.message).toEqual({
      [fourth.username]: 'Access level is not included in the list',
      77777: 'User Not Found',
    })
    const twice = await owner.post(members, { user_id: `${fourth.id},${fourth.id}`, access_level: 20 })
    expect(twice).toMatchObject({ status: 201, body: { id: fourth.id } })
  })

  test('refuses a level below the inherited one', async () => {
    const { group, members } = await placeOf(kind)
    const parent = kind === 'group' ? await server.make.group(freshName('sub'), owner, { parent: group }) : null
    const place = parent ? `/groups/${parent.id}/members` : members
    const person = await server.user(freshName('person'))
    await server.make.member({ namespace: group }, person, 30)
    const text = `should be greater than or equal to Developer inherited membership from group ${group.full_path}`
    const lower = await owner.post(place, { user_id: person.id, access_level: 20 })
    expect(lower).toMatchObject(refused({ access_level: [text] }))
    const several = await owner.post(place, { user_id: [person.id, 77_777], access_level: 20 })
    expect(several.body.message[person.username]).toBe(`Access level ${text}`)
    expect((await owner.post(place, { user_id: person.id, access_level: 30 })).status).toBe(201)
    const update = await owner.put(`${place}/${person.id}`, { access_level: 10 })
    expect(update).toMatchObject(refused({ access_level: [text] }))
    expect((await owner.put(`${place}/${person.id}`, { access_level: 40 })).status).toBe(200)
  })

  test('refuses bots', async () => {
    const { members } = await placeOf(kind)
    const bot = await server.user(freshName('bot'))
    await server.app.platform.database.write((tx) =>
      tx.updateTable('users').set({ bot_kind: 'project_bot' }).where('id', '=', bot.id).execute(),
    )
    const answer = await owner.post(members, { user_id: bot.id, access_level: 30 })
    expect(answer).toMatchObject(refused({ user: ['project bots cannot be added to other groups / projects'] }))
  })

  test('requires the scope api', async () => {
    const { members } = await placeOf(kind, 'public')
    const wanted = { user_id: outsider.id, access_level: 10 }
    const reader = server.as(await server.make.token(owner, ['read_api']))
    expect(await reader.post(members, wanted)).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } })
  })
})

describe('a maintainer of a project', () => {
  test('gives no role above their own, and removes no higher one', async () => {
    const { members } = await placeOf('project')
    const person = await server.user(freshName('person'))
    await owner.post(members, { user_id: person.id, access_level: 50 })
    expect(await maintainer.post(members, { user_id: outsider.id, access_level: 50 })).toMatchObject(forbidden)
    expect(await maintainer.put(`${members}/${maintainer.id}`, { access_level: 50 })).toMatchObject(forbidden)
    expect(await maintainer.put(`${members}/${person.id}`, { access_level: 10 })).toMatchObject(forbidden)
    expect(await maintainer.delete(`${members}/${person.id}`)).toMatchObject(forbidden)
    const answer = await maintainer.post(members, { user_id: outsider.id, access_level: 60 })
    expect(answer).toMatchObject(refused({ access_level: ['is not included in the list'] }))
    expect((await maintainer.post(members, { user_id: outsider.id, access_level: 40 })).status).toBe(201)
    expect((await maintainer.put(`${members}/${maintainer.id}`, { access_level: 30 })).status).toBe(200)
  })
})
