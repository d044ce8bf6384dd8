import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { freshName } from './testing.ts'

let server: TestServer
let owner: Person
let outsider: Person

beforeAll(async () => {
  server = await startTestServer()
  ;[owner, outsider] = await Promise.all([server.user('owner'), server.user('outsider')])
})
afterAll(() => server.stop())

/** A group of `owner` with a project in it, and a person who is a member of one of them. */
async function membership(kind: 'group' | 'project', level = 30) {
  const group = await server.make.group(freshName('group'), owner)
  const project = await server.make.project(freshName('project'), owner, { namespace: group })
  const person = await server.user(freshName('person'))
  await server.make.member(kind === 'group' ? { namespace: group } : { project }, person, level)
  const members = kind === 'group' ? `/groups/${group.id}/members` : `/projects/${project.id}/members`
  return { group, project, person, members, member: `${members}/${person.id}` }
}

const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const recordNotFound = { status: 404, body: { message: '404 Not found' } }

describe.each(['group', 'project'] as const)('changing a member of a %s', (kind) => {
  test('changes the level, and the expiry when it is given', async () => {
    const { member } = await membership(kind)
    const first = await owner.put(member, { access_level: 40, expires_at: '2999-01-31' })
    expect(first).toMatchObject({ status: 200, body: { access_level: 40, expires_at: '2999-01-31' } })
    const second = await owner.put(member, { access_level: 20 })
    expect(second).toMatchObject({ status: 200, body: { access_level: 20, expires_at: '2999-01-31' } })
    for (const none of [null, '']) {
      expect((await owner.put(member, { access_level: 20, expires_at: '2999-01-31' })).status).toBe(200)
      const third = await owner.put(member, { access_level: 20, expires_at: none })
      expect(third).toMatchObject({ status: 200, body: { expires_at: null } })
      expect((await owner.get(member)).body).toEqual(third.body)
    }
  })

  test('returns the problems', async () => {
    const { member, members } = await membership(kind)
    const missing = await owner.put(member, {})
    expect(missing).toMatchObject({ status: 400, body: { error: 'access_level is missing' } })
    const level = await owner.put(member, { access_level: 33 })
    expect(level).toMatchObject({
      status: 400,
      body: { message: { access_level: ['is not included in the list'] } },
    })
    const day = await owner.put(member, { access_level: 30, expires_at: '2020-01-01' })
    expect(day).toMatchObject({ status: 400, body: { message: { expires_at: ['cannot be a date in the past'] } } })
    expect(await owner.put(`${members}/${outsider.id}`, { access_level: 30 })).toMatchObject(recordNotFound)
    expect(await owner.put(`${members}/${'9'.repeat(30)}`, { access_level: 30 })).toMatchObject(recordNotFound)
    expect((await owner.put(`${members}/x`, { access_level: 30 })).body.error).toBe('404 Not Found')
  })

  test('requires the right to manage members', async () => {
    const { member, person } = await membership(kind)
    expect(await person.put(member, { access_level: 40 })).toMatchObject(forbidden)
    expect(await outsider.put(member, { access_level: 40 })).toMatchObject({ status: 404 })
    expect(await server.anonymous.put(member, { access_level: 40 })).toMatchObject({ status: 401 })
    expect((await server.root.put(member, { access_level: 50 })).status).toBe(200)
  })
})

describe.each(['group', 'project'] as const)('removing a member of a %s', (kind) => {
  test('ends the access', async () => {
    const { member, members, person } = await membership(kind)
    expect((await person.get(members)).status).toBe(200)
    expect(await owner.delete(member)).toMatchObject({ status: 204, body: '' })
    expect((await person.get(members)).status).toBe(404)
    expect(await owner.delete(member)).toMatchObject(recordNotFound)
    expect(await owner.delete(`${members}/${'9'.repeat(30)}`)).toMatchObject(recordNotFound)
  })

  test('is allowed for the own membership only', async () => {
    const { member, members, person } = await membership(kind, 10)
    expect(await person.delete(`${members}/${owner.id}`)).toMatchObject(forbidden)
    expect(await outsider.delete(member)).toMatchObject({ status: 404 })
    expect(await server.anonymous.delete(member)).toMatchObject({ status: 401 })
    const odd = await person.delete(`${member}?skip_subresources=maybe`)
    expect(odd).toMatchObject({ status: 400, body: { error: 'skip_subresources is invalid' } })
    expect((await person.delete(`${member}?unassign_issuables=true`)).status).toBe(204)
    expect((await person.delete(member)).status).toBe(404)
  })

  test('respects If-Unmodified-Since', async () => {
    const { member } = await membership(kind)
    const since = (date: string) => owner.delete(member, { headers: { 'If-Unmodified-Since': date } })
    expect(await since('Wed, 21 Oct 2015 07:28:00 GMT')).toMatchObject({
      status: 412,
      body: { message: '412 Precondition Failed' },
    })
    expect((await since('no date')).status).toBe(204)
  })

  test('succeeds once for concurrent requests', async () => {
    const { member } = await membership(kind)
    const answers = await Promise.all([owner.delete(member), owner.delete(member), owner.delete(member)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404])
  })

  test('revokes the tokens of a bot', async () => {
    const { members, group, project } = await membership(kind)
    const made = await owner.post(members.replace('members', 'access_tokens'), {
      name: 'bot',
      scopes: ['api'],
      access_level: 30,
      expires_at: new Date(server.app.platform.clock.now().getTime() + 86_400_000 * 30).toISOString().slice(0, 10),
    })
    expect(made.status).toBe(201)
    const bot = server.as(made.body.token)
    const path = kind === 'group' ? `/groups/${group.id}/members` : `/projects/${project.id}/members`
    expect((await bot.get(path)).status).toBe(200)
    expect((await owner.delete(`${members}/${made.body.user_id}`)).status).toBe(204)
    expect(await bot.get(path)).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
  })
})

describe('a group', () => {
  test('removes the memberships below by default', async () => {
    const { group, project, person, member } = await membership('group')
    const below = await server.make.group(freshName('sub'), owner, { parent: group })
    const deep = await server.make.project(freshName('deep'), owner, { namespace: below })
    const elsewhere = await server.make.project(freshName('elsewhere'), owner)
    for (const place of [{ project }, { namespace: below }, { project: deep }, { project: elsewhere }]) {
      await server.make.member(place, person, 40)
    }
    expect((await owner.delete(`${member}?skip_subresources=true`)).status).toBe(204)
    expect((await owner.get(`/groups/${below.id}/members/${person.id}`)).status).toBe(200)
    await server.make.member({ namespace: group }, person, 40)
    expect((await owner.delete(member)).status).toBe(204)
    for (const place of [`groups/${below.id}`, `projects/${project.id}`, `projects/${deep.id}`]) {
      expect(await owner.get(`/${place}/members/${person.id}`)).toMatchObject(recordNotFound)
    }
    expect((await owner.get(`/projects/${elsewhere.id}/members/${person.id}`)).status).toBe(200)
  })

  test('refuses to lose its last owner', async () => {
    const { group, members, person, member } = await membership('group', 40)
    const own = `${members}/${owner.id}`
    for (const client of [owner, server.root]) {
      expect(await client.delete(own)).toMatchObject(forbidden)
      expect(await client.put(own, { access_level: 40 })).toMatchObject(forbidden)
    }
    expect((await owner.put(own, { access_level: 50, expires_at: '2999-01-01' })).status).toBe(200)
    expect((await owner.put(member, { access_level: 50 })).status).toBe(200)
    expect((await person.put(own, { access_level: 30 })).status).toBe(200)
    expect(await person.delete(member)).toMatchObject(forbidden)
    const below = await server.make.group(freshName('sub'), outsider, { parent: group })
    expect((await outsider.delete(`/groups/${below.id}/members/${outsider.id}`)).status).toBe(204)
  })

  test('does not count deleted, blocked and bot owners', async () => {
    const { members, person } = await membership('group', 50)
    const change = (set: { state?: 'blocked' | 'active'; bot_kind?: 'group_bot' | 'service_account' | null }) =>
      server.app.platform.database.write((tx) => tx.updateTable('users').set(set).where('id', '=', person.id).execute())
    await change({ state: 'blocked' })
    expect(await owner.delete(`${members}/${owner.id}`)).toMatchObject(forbidden)
    await change({ state: 'active', bot_kind: 'group_bot' })
    expect(await owner.delete(`${members}/${owner.id}`)).toMatchObject(forbidden)
    await change({ bot_kind: 'service_account' })
    expect(await owner.delete(`${members}/${owner.id}`)).toMatchObject(forbidden)
    await change({ bot_kind: null })
    expect((await owner.delete(`${members}/${owner.id}`)).status).toBe(204)
  })

  test('retains one of two owners who remove each other concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { members, person, member } = await membership('group', 50)
      const answers = await Promise.all([owner.delete(member), person.delete(`${members}/${owner.id}`)])
      const statuses = answers.map(({ status }) => status).toSorted()
      // The loser is refused, or finds that it sees the group no more.
      expect(statuses[0]).toBe(204)
      expect([403, 404]).toContain(statuses[1])
      expect((await server.root.get(members)).body).toHaveLength(1)
    }
  })
})

describe('a personal project', () => {
  test('refuses changes of the owner of its namespace', async () => {
    const project = await server.make.project(freshName('own'), owner)
    const own = `/projects/${project.id}/members/${owner.id}`
    expect((await owner.get(own)).status).toBe(200)
    expect(await owner.put(own, { access_level: 30 })).toMatchObject(forbidden)
    expect(await owner.delete(own)).toMatchObject(forbidden)
    expect(await server.root.delete(own)).toMatchObject(forbidden)
  })
})
