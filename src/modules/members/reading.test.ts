import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type Person, queriesOf, startTestServer, type TestServer } from '../../testing/index.ts'
import { freshName } from './testing.ts'

let server: TestServer
let owner: Person
let other: Person
let outsider: Person

beforeAll(async () => {
  server = await startTestServer()
  ;[owner, other, outsider] = await Promise.all([server.user('owner'), server.user('other'), server.user('outsider')])
})
afterAll(() => server.stop())

const groupOf = (visibility: 'private' | 'internal' | 'public' = 'private') =>
  server.make.group(freshName('group'), owner, { visibility })

/** A group, or a project in one, that belongs to `owner`; `level` adds a member. */
async function placeOf(kind: 'group' | 'project', visibility: 'private' | 'internal' | 'public' = 'private') {
  const group = await groupOf(visibility)
  if (kind === 'group') {
    const member = (user: { id: number }, level: number) => server.make.member({ namespace: group }, user, level)
    return { path: `/groups/${group.id}`, group, member }
  }
  const project = await server.make.project(freshName('project'), owner, { namespace: group, visibility })
  const member = (user: { id: number }, level: number) => server.make.member({ project }, user, level)
  return { path: `/projects/${project.id}`, group, member }
}

/** Invites a group to another one, or to a project. */
async function invite(group: { id: number }, to: { namespace_id: number } | { project_id: number }, level: number) {
  const link = { group_id: group.id, ...to, access_level: level, created_at: '2026-01-01T00:00:00.000Z' }
  await server.app.platform.database.write((tx) => tx.insertInto('group_links').values(link).execute())
}

const idsOf = (body: { id: number }[]) => body.map(({ id }) => id)
const levelsOf = (body: { id: number; access_level: number }[]) =>
  body.map(({ id, access_level }) => [id, access_level])

describe.each(['group', 'project'] as const)('the members of a %s', (kind) => {
  test('are listed with those of the groups around in pages that end where the next one begins', async () => {
    const { path, group, member } = await placeOf(kind)
    const invited = await groupOf()
    await invite(invited, { namespace_id: group.id }, 30)
    const people = await Promise.all(
      Array.from({ length: 9 }, (_, number) => server.user(freshName(`person${number}`))),
    )
    for (const [number, one] of people.entries()) {
      if (number % 3 === 0) await member(one, 10)
      if (number % 3 === 1) await server.make.member({ namespace: group }, one, 20)
      if (number > 2) await server.make.member({ namespace: invited }, one, 40)
    }
    const { body: all } = await owner.get(`${path}/members/all?per_page=100`)
    // The filter makes no difference but that everything is compared.
    const { body: compared } = await owner.get(`${path}/members/all?per_page=100&query=o`)
    expect(compared).toEqual(all.filter(({ name }: { name: string }) => name.includes('o')))
    // Of a text that few users have in their names, these alone are compared.
    const { body: named } = await owner.get(`${path}/members/all?per_page=100&query=Person1`)
    const isNamed = ({ name, username }: { name: string; username: string }) => /person1/i.test(`${name} ${username}`)
    expect(named).toEqual(all.filter(isNamed))
    expect(named.length).toBeGreaterThan(0)
    const pages: { id: number; access_level: number }[] = []
    for (let page = 1; page <= Math.ceil(all.length / 2); page += 1) {
      const { body, headers } = await owner.get(`${path}/members/all?per_page=2&page=${page}`)
      expect(headers.get('x-total')).toBe(String(all.length))
      pages.push(...body)
    }
    expect(pages).toEqual(all)
    // The owner, and all but the one who is a member nowhere.
    expect(new Set(idsOf(all)).size).toBe(people.length)
  })

  test('have exactly the members of the contract', async () => {
    const { path } = await placeOf(kind)
    const wanted = { user_id: other.id, access_level: 30, expires_at: '2999-01-31' }
    const added = await owner.post(`${path}/members`, wanted)
    const member = {
      id: other.id,
      username: 'other',
      public_email: null,
      name: 'other person',
      state: 'active',
      locked: false,
      avatar_url: null,
      web_url: `${server.url}/other`,
      access_level: 30,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      created_by: expect.objectContaining({ id: owner.id, username: 'owner' }),
      expires_at: '2999-01-31',
      ...(kind === 'group' ? { group_saml_identity: null } : {}),
      membership_state: 'active',
      member_role: null,
    }
    expect(added).toMatchObject({ status: 201, body: member })
    const { body } = await owner.get(`${path}/members/${other.id}`)
    expect(body).toEqual(member)
    const asRoot = await server.root.get(`${path}/members/${other.id}`)
    expect(asRoot.body.email).toBe('other@example.com')
    const asMember = await other.get(`${path}/members/${other.id}`)
    expect(asMember.body).not.toHaveProperty('group_saml_identity')
    expect(asMember.body).not.toHaveProperty('email')
  })

  test('have pages by id, and can be filtered', async () => {
    const { path, member } = await placeOf(kind)
    const people = await Promise.all(['ada', 'bob', 'cy_d'].map((name) => server.user(freshName(name))))
    for (const person of people.toReversed()) await member(person, 20)
    const ids = idsOf(people).toSorted((a, b) => a - b)
    const direct = kind === 'group' ? [owner.id, ...ids] : ids
    const [first, second] = ids
    const list = async (query: string) => idsOf((await owner.get(`${path}/members?${query}`)).body)
    expect(await list('')).toEqual(direct)
    const paged = await owner.get(`${path}/members?per_page=2&page=2`)
    expect(idsOf(paged.body)).toEqual(direct.slice(2, 4))
    expect(paged.headers.get('x-total')).toBe(String(direct.length))
    expect(await list(`query=${people[0]?.username.toUpperCase()}`)).toEqual([people[0]?.id])
    expect(await list('query=%25')).toEqual([])
    expect(await list('query=d_')).toEqual([])
    expect(await list(`user_ids[]=${first}&user_ids[]=${second}`)).toEqual([first, second])
    expect(await list(`user_ids=${first},${second}&skip_users=${first}`)).toEqual([second])
    const bob = people[1] as Person
    expect(await list(`query=bob&user_ids[]=${people[0]?.id}&user_ids[]=${bob.id}`)).toEqual([bob.id])
    expect(await list(`query=bob&user_ids[]=${people[0]?.id}`)).toEqual([])
    expect(await list('user_ids=9223372036854775807')).toEqual([])
    expect(await list('skip_users[]=9223372036854775807')).toEqual(direct)
    expect((await owner.get(`${path}/members?user_ids[]=x`)).status).toBe(400)
    expect((await owner.get(`${path}/members?query[]=x`)).body.error).toBe('query is invalid')
  })

  test('show seats on request', async () => {
    const { path, member } = await placeOf(kind)
    await member(other, 10)
    const { body } = await owner.get(`${path}/members?show_seat_info=true&user_ids=${other.id}`)
    expect(body[0].is_using_seat).toBe(true)
    expect((await owner.get(`${path}/members?user_ids=${other.id}`)).body[0]).not.toHaveProperty('is_using_seat')
  })

  test('can be filtered by SAML identity', async () => {
    const { path, member } = await placeOf(kind)
    const person = await server.user(freshName('saml'))
    await member(person, 10)
    const identity = { user_id: person.id, provider: 'group_saml', extern_uid: freshName('uid') }
    await server.app.platform.database.write((tx) => tx.insertInto('identities').values(identity).execute())
    const { body } = await owner.get(`${path}/members?with_saml_identity=true`)
    expect(idsOf(body)).toEqual([person.id])
    const shown = { provider: 'group_saml', extern_uid: identity.extern_uid, saml_provider_id: null }
    expect(body[0].group_saml_identity).toEqual(kind === 'group' ? shown : undefined)
  })

  test('end on the day on which they expire', async () => {
    const { path, member } = await placeOf(kind)
    await member(other, 30)
    await server.app.platform.database.write((tx) =>
      tx.updateTable('members').set({ expires_at: '2020-01-01' }).where('user_id', '=', other.id).execute(),
    )
    expect((await owner.get(`${path}/members/${other.id}`)).body).toEqual({ message: '404 Not found' })
    expect((await owner.get(`${path}/members/all/${other.id}`)).body).toEqual({ message: '404 Not found' })
    expect(idsOf((await owner.get(`${path}/members`)).body)).not.toContain(other.id)
    expect((await other.get(path.replace(/^\/\w+/, `/${kind}s`).concat('/members'))).status).toBe(404)
  })

  test.each(['0', '-1', '99999999', '9'.repeat(40)])('that do not exist are not found: %s', async (id) => {
    const { path } = await placeOf(kind)
    for (const which of ['members', 'members/all']) {
      const answer = await owner.get(`${path}/${which}/${id}`)
      expect(answer).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    }
  })

  test.each(['x', '1x', '1.5', '1%2F2', 'all%20'])('are addressed by number, so %s is not a route', async (id) => {
    const { path } = await placeOf(kind)
    const answer = await owner.get(`${path}/members/${id}`)
    expect(answer).toMatchObject({ status: 404, body: { error: '404 Not Found', message: '404 Not Found' } })
  })

  test('are visible to callers who may read members', async () => {
    const hidden = await placeOf(kind)
    const open = await placeOf(kind, 'public')
    const word = kind === 'group' ? 'Group' : 'Project'
    for (const tail of ['members', 'members/all', `members/${owner.id}`, `members/all/${owner.id}`]) {
      const ask = (client: Client, { path }: { path: string }) => client.get(`${path}/${tail}`)
      expect(await ask(server.anonymous, open)).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } })
      expect(await ask(outsider, hidden)).toMatchObject({ status: 404, body: { message: `404 ${word} Not Found` } })
      expect((await ask(outsider, open)).status).toBe(tail === `members/${owner.id}` && kind === 'project' ? 404 : 200)
      expect((await ask(server.root, hidden)).status).not.toBe(403)
    }
  })

  test('take the same number of queries for any number of members', async () => {
    const { path, member } = await placeOf(kind)
    const queriesFor = (tail: string) =>
      queriesOf(server, async () => {
        expect((await owner.get(`${path}/${tail}`)).status).toBe(200)
      })
    const people = await Promise.all(Array.from({ length: 20 }, () => server.user(freshName('many'))))
    for (const person of people.slice(0, 2)) await member(person, 20)
    const few = [await queriesFor('members'), await queriesFor('members/all')]
    for (const person of people.slice(2)) await owner.post(`${path}/members`, { user_id: person.id, access_level: 20 })
    expect([await queriesFor('members?per_page=100'), await queriesFor('members/all?per_page=100')]).toEqual(few)
  })
})

describe('the list of all members', () => {
  test('has each user once, with the highest role', async () => {
    const top = await groupOf()
    const middle = await server.make.group(freshName('sub'), owner, { parent: top })
    const project = await server.make.project(freshName('project'), owner, { namespace: middle })
    const invited = await groupOf()
    const [inherited, direct, shared] = [await server.user(freshName('p')), await server.user(freshName('p')), other]
    await server.make.member({ namespace: top }, inherited, 30)
    await server.make.member({ namespace: middle }, inherited, 40)
    await server.make.member({ project }, direct, 10)
    await server.make.member({ namespace: invited }, shared, 40)
    await server.make.member({ namespace: invited }, direct, 20)
    await invite(invited, { namespace_id: top.id }, 30)
    const expected = [owner.id, shared.id, inherited.id, direct.id].toSorted((a, b) => a - b)
    const all = await owner.get(`/projects/${project.id}/members/all`)
    expect(idsOf(all.body)).toEqual(expected)
    expect(Object.fromEntries(levelsOf(all.body))).toEqual({
      [owner.id]: 50,
      [shared.id]: 30,
      [inherited.id]: 40,
      [direct.id]: 20,
    })
    expect(all.headers.get('x-total')).toBe('4')
    const one = await owner.get(`/projects/${project.id}/members/all/${shared.id}`)
    expect(one).toMatchObject({ status: 200, body: { id: shared.id, access_level: 30 } })
    expect(levelsOf((await owner.get(`/groups/${top.id}/members/all`)).body)).toContainEqual([inherited.id, 30])
    const picked = await owner.get(`/projects/${project.id}/members/all?user_ids=${direct.id}`)
    expect(levelsOf(picked.body)).toEqual([[direct.id, 20]])
  })

  test('includes the owner of the personal namespace', async () => {
    const project = await server.make.project(freshName('own'), other)
    const all = await other.get(`/projects/${project.id}/members/all`)
    expect(all.body).toMatchObject([{ id: other.id, access_level: 50, expires_at: null, membership_state: 'active' }])
    expect((await other.get(`/projects/${project.id}/members/${other.id}`)).body).toMatchObject({ access_level: 50 })
  })

  test('is active, never awaiting', async () => {
    const { path } = await placeOf('group')
    expect(idsOf((await owner.get(`${path}/members/all?state=active`)).body)).toEqual([owner.id])
    expect((await owner.get(`${path}/members/all?state=awaiting`)).body).toEqual([])
    const odd = await owner.get(`${path}/members/all?state=sleeping`)
    expect(odd).toMatchObject({ status: 400, body: { error: 'state does not have a valid value' } })
  })

  test('shows outsiders only members of invited groups that they may see', async () => {
    const open = await groupOf('public')
    const [hidden, internal] = [await groupOf(), await groupOf('internal')]
    const [first, second] = [await server.user(freshName('p')), await server.user(freshName('p'))]
    await server.make.member({ namespace: hidden }, first, 30)
    await server.make.member({ namespace: internal }, second, 30)
    await invite(hidden, { namespace_id: open.id }, 30)
    await invite(internal, { namespace_id: open.id }, 30)
    const listed = async (client: Client) => idsOf((await client.get(`/groups/${open.id}/members/all`)).body)
    expect(await listed(outsider)).toEqual([owner.id, second.id])
    expect(await listed(first)).toEqual([owner.id, first.id, second.id])
    expect((await outsider.get(`/groups/${open.id}/members/all/${first.id}`)).status).toBe(404)
  })
})
