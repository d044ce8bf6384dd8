import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import type { Person } from '../../../testing/index.ts'
import { type Hooked, startWithReceiver } from '../../hooks/testing.ts'
import { freshName } from '../testing.ts'
import { endExpiredMembers } from './expiry.ts'

const clock = manualClock({ start: '2026-03-10T12:00:00.000Z' })
let given: Hooked
let owner: Person
beforeAll(async () => {
  given = await startWithReceiver({ clock })
  owner = given.owner
})
afterAll(() => given.stop())

const dayIn = (days: number) => new Date(clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10)

/** Advances the clock to a time of the next day. */
function passTo(time: string) {
  const target = Date.parse(`${dayIn(1)}T${time}Z`)
  clock.advance(target - clock.now().getTime())
}

const rowsOf = (userId: number) =>
  given.server.app.platform.database.read.selectFrom('members').selectAll().where('user_id', '=', userId).execute()

/** What users did in the project, by name and action, oldest first. */
async function actions(names: readonly string[]): Promise<string[]> {
  const { body } = await owner.get(`/projects/${given.project.id}/events?sort=asc&per_page=100`)
  const rows = body as { author_username: string; action_name: string }[]
  return rows
    .filter(({ author_username }) => names.includes(author_username))
    .map((row) => `${row.author_username} ${row.action_name}`)
}

test('what has expired gives nothing from midnight, and is removed ten minutes later, with what follows', async () => {
  const { server, group, project, payloads, clear } = given
  const [member, lasting, invited] = await Promise.all(['ends', 'lasts', 'invited'].map((name) => server.user(name)))
  if (!member || !lasting || !invited) throw new Error('no people')
  const below = await server.make.project('below', owner, { namespace: group })
  const other = await server.make.group('other', invited)
  const rules = `/projects/${project.id}/protected_branches`
  const expires_at = dayIn(1)
  const add = (path: string, user: Person, more: object) =>
    owner.post(`${path}/members`, { user_id: user.id, access_level: 30, ...more })
  expect((await add(`/projects/${project.id}`, member, { expires_at })).status).toBe(201)
  expect((await add(`/groups/${group.id}`, member, { expires_at })).status).toBe(201)
  expect((await add(`/projects/${below.id}`, member, {})).status).toBe(201)
  expect((await add(`/projects/${project.id}`, lasting, { expires_at: dayIn(3) })).status).toBe(201)
  const share = { group_id: other.id, group_access: 30, expires_at }
  await server.root.post(`/projects/${project.id}/share`, share)
  await server.root.post(`/groups/${group.id}/share`, share)
  const guest = { email: 'guest@example.com', access_level: 30, expires_at }
  await owner.post(`/projects/${project.id}/invitations`, guest)
  await owner.post(`/groups/${group.id}/invitations`, { ...guest, expires_at: dayIn(3) })
  const token = { name: 'robot', scopes: ['api'], access_level: 30, expires_at }
  const bot = (await owner.post(`/projects/${project.id}/access_tokens`, token)).body.user_id
  const allowed_to_push = [{ user_id: member.id }, { group_id: other.id }, { access_level: 40 }]
  expect((await owner.post(rules, { name: 'stable', allowed_to_push })).status).toBe(201)
  expect((await member.get(`/projects/${project.id}`)).status).toBe(200)
  expect((await invited.get(`/projects/${project.id}`)).status).toBe(200)
  await clear()
  await given.systemHook()
  await given.groupHook({ push_events: false, member_events: true })

  passTo('00:00:00.000')
  for (const person of [member, invited]) expect((await person.get(`/projects/${project.id}`)).status).toBe(404)
  expect((await member.get(`/projects/${below.id}`)).status).toBe(200)
  expect((await lasting.get(`/projects/${project.id}`)).status).toBe(200)
  await given.settle()
  expect(await rowsOf(member.id)).toHaveLength(3)
  clock.advance(600_000)
  await given.settle()
  expect(await rowsOf(member.id)).toMatchObject([{ project_id: below.id }])
  expect(await rowsOf(lasting.id)).toHaveLength(1)
  // Bots of tokens end with their tokens, which expire and are not revoked.
  expect(await rowsOf(bot)).toHaveLength(1)
  const [listed] = (await owner.get(`/projects/${project.id}/access_tokens?state=inactive`)).body
  expect(listed).toMatchObject({ active: false, revoked: false, access_level: 30 })

  expect(await actions(['ends', 'lasts'])).toEqual(['ends joined', 'lasts joined', 'ends expired'])
  const own = await member.get('/events?action=expired')
  expect(own.body).toEqual([])
  const called = (await payloads()).map(({ event_name, user_username }) => `${event_name} ${user_username}`)
  const removed = ['user_remove_from_group ends', 'user_remove_from_group ends', 'user_remove_from_team ends']
  expect(called.toSorted()).toEqual(removed)

  const { database } = server.app.platform
  expect(await database.read.selectFrom('group_links').select('id').execute()).toEqual([])
  const invitations = await database.read.selectFrom('invitations').select('expires_at').execute()
  expect(invitations).toEqual([{ expires_at: dayIn(2) }])
  const [rule] = (await owner.get(rules)).body
  expect(rule.push_access_levels).toMatchObject([{ access_level: 40, user_id: null, group_id: null }])
})

test('two processes at once, and one that is stopped in between, end each membership once', async () => {
  const { server, project } = given
  const { platform } = server.app
  const people = await Promise.all(Array.from({ length: 8 }, () => server.user(freshName('short'))))
  for (const { id } of people)
    await owner.post(`/projects/${project.id}/members`, { user_id: id, access_level: 20, expires_at: dayIn(1) })
  passTo('00:05:00.000')
  const left = async () => (await Promise.all(people.map(({ id }) => rowsOf(id)))).flat().length
  const stopping = new AbortController()
  const write = platform.database.write.bind(platform.database)
  let written = 0
  const stopped = {
    ...platform,
    database: {
      ...platform.database,
      write: ((work) => {
        written += 1
        if (written === 3) stopping.abort(new Error('stopped'))
        return write(work)
      }) as typeof write,
    },
  }
  const context = (signal: AbortSignal) => ({ jobId: 1, attempt: 1, signal })
  await expect(endExpiredMembers.run(stopped, null, context(stopping.signal))).rejects.toThrow('stopped')
  expect(await left()).toBe(5)
  const run = () => endExpiredMembers.run(platform, null, context(new AbortController().signal))
  await Promise.all([run(), run()])
  expect(await left()).toBe(0)
  const names = people.map(({ username }) => username)
  const found = (await actions(names)).filter((text) => !text.endsWith('joined'))
  expect(found.toSorted()).toEqual(names.map((name) => `${name} expired`).toSorted())
})

test('who comes again after the end of a membership has left an event, and a share that is renewed is one', async () => {
  const { server, project, group } = given
  const person = await server.user(freshName('again'))
  const other = await server.make.group(freshName('guests'), owner)
  const members = `/projects/${project.id}/members`
  const body = { user_id: person.id, access_level: 20 }
  await owner.post(members, { ...body, expires_at: dayIn(1) })
  const share = { group_id: other.id, group_access: 30 }
  await owner.post(`/groups/${group.id}/share`, { ...share, expires_at: dayIn(1) })
  expect((await owner.post(`/groups/${group.id}/share`, share)).status).toBe(409)
  passTo('00:05:00.000')
  const answers = await Promise.all([owner.post(members, body), owner.post(members, body)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
  expect(await actions([person.username])).toEqual(
    ['joined', 'expired', 'joined'].map((action) => `${person.username} ${action}`),
  )
  expect((await owner.post(`/groups/${group.id}/share`, share)).status).toBe(201)
})

test('an external user sees those whom an expired membership showed no longer', async () => {
  const { server, project } = given
  const external = await server.user(freshName('external'))
  const seen = await server.user(freshName('seen'))
  await server.root.put(`/users/${external.id}`, { external: true })
  await server.make.member({ project }, seen, 20)
  await owner.post(`/projects/${project.id}/members`, {
    user_id: external.id,
    access_level: 20,
    expires_at: dayIn(1),
  })
  const found = async () => (await external.get(`/users?username=${seen.username}`)).body.length
  expect([await found(), (await external.get(`/users/${seen.id}/status`)).status]).toEqual([1, 200])
  passTo('00:05:00.000')
  expect([await found(), (await external.get(`/users/${seen.id}/status`)).status]).toEqual([0, 404])
})
