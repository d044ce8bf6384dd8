import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../index.ts'
import { type Answer, type Person, queriesOf, startTestServer, type TestServer } from '../../testing/index.ts'
import { possibleIds } from './store/selection.ts'

let server: TestServer
let alice: Person
beforeAll(async () => {
  // With a stopped clock only the requests themselves run queries.
  server = await startTestServer({ clock: manualClock({ start: '2026-03-01T12:00:00.000Z' }) })
  alice = await server.user('alice')
})
afterAll(() => server.stop())

const fullPaths = ({ body }: Answer) => body.map((row: { full_path: string }) => row.full_path)
const namespaceNotFound = { status: 404, body: { message: '404 Namespace Not Found' } }

describe('the list of namespaces', () => {
  test('starts with the personal namespace, then has groups by id', async () => {
    const bella = await server.user('bella')
    const top = await server.make.group('z-top', bella)
    const sub = await server.make.group('a-sub', bella, { parent: top })
    const guest = await server.make.group('m-guest', alice, { visibility: 'public' })
    await server.make.member({ namespace: guest }, bella, 10)
    await server.make.group('unseen', alice, { visibility: 'public' })
    const list = await bella.get('/namespaces')
    expect(fullPaths(list)).toEqual(['bella', 'z-top', 'z-top/a-sub', 'm-guest'])
    expect(list.headers.get('x-total')).toBe('4')
    expect(list.body[2]).toEqual({
      id: sub.id,
      name: 'a-sub',
      path: 'a-sub',
      kind: 'group',
      full_path: 'z-top/a-sub',
      parent_id: top.id,
      avatar_url: null,
      web_url: `${server.url}/groups/z-top/a-sub`,
      members_count_with_descendants: 1,
      projects_count: 0,
      billable_members_count: 1,
      seats_in_use: 1,
      max_seats_used: 1,
      max_seats_used_changed_at: null,
      end_date: null,
      plan: 'default',
      trial_ends_on: null,
      trial: false,
    })
    expect(list.body[0]).toMatchObject({ kind: 'user', web_url: `${server.url}/bella`, projects_count: 0 })
    expect(list.body[0]).not.toHaveProperty('members_count_with_descendants')
    expect(Object.keys(list.body[3]).at(-1)).toBe('web_url')
    const filtered = async (query: string) => fullPaths(await bella.get(`/namespaces?${query}`))
    expect(await filtered('owned_only=true')).toEqual(['bella', 'z-top', 'z-top/a-sub'])
    expect(await filtered('top_level_only=true')).toEqual(['bella', 'z-top', 'm-guest'])
    expect(await filtered('top_level_only=false')).toEqual(await filtered(''))
    expect((await filtered('')).length).toBeGreaterThan(3)
    expect(await filtered('search=A-SUB')).toEqual(['z-top/a-sub'])
    expect(await filtered('search=top/a')).toEqual([])
    expect(await filtered('search=top/a&full_path_search=true')).toEqual(['z-top/a-sub'])
    expect(await filtered('search=_')).toEqual([])
    expect(await filtered('per_page=1&page=2')).toEqual(['z-top'])
  })

  test('has all namespaces for administrators, with sizes', async () => {
    const carl = await server.user('carl')
    const top = await server.make.group('sized', carl)
    const sub = await server.make.group('sized-sub', carl, { parent: top })
    const project = await server.make.project('one', carl, { namespace: sub })
    await server.make.member({ project }, alice, 20)
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('repositories').set({ size_bytes: 512 }).where('project_id', '=', project.id).execute(),
    )
    const list = await server.root.get('/namespaces?search=sized')
    expect(list.body).toMatchObject([
      {
        full_path: 'sized',
        root_repository_size: 512,
        projects_count: 1,
        members_count_with_descendants: 1,
        billable_members_count: 2,
      },
      { full_path: 'sized/sized-sub', root_repository_size: null, projects_count: 1 },
    ])
    await database.write((tx) =>
      tx.updateTable('projects').set({ pending_delete: true }).where('id', '=', project.id).execute(),
    )
    const [leaving] = (await server.root.get('/namespaces?search=sized')).body
    expect(leaving).toMatchObject({ root_repository_size: 0, projects_count: 0 })
    const everything = fullPaths(await server.root.get('/namespaces?per_page=100'))
    expect(everything.indexOf('carl')).toBeLessThan(everything.indexOf('sized'))
    expect(everything[0]).toBe('root')
  })

  test('takes the same number of queries for any number of rows', async () => {
    const dora = await server.user('dora')
    const cost = () => queriesOf(server, () => dora.get('/namespaces'))
    for (const path of ['q1', 'q2']) await server.make.group(path, dora)
    const few = await cost()
    for (let index = 3; index <= 20; index += 1) await server.make.group(`q${index}`, dora)
    expect(await cost()).toBe(few)
  })

  test('refuses a wrong boolean', async () => {
    const { status, body } = await alice.get('/namespaces?owned_only=perhaps')
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'owned_only is invalid' })
  })
})

describe('a namespace', () => {
  test('is found by id and by path', async () => {
    const top = await server.make.group('Found', alice)
    await server.make.group('Sub', alice, { parent: top })
    expect((await alice.get(`/namespaces/${top.id}`)).body).toMatchObject({ id: top.id, plan: 'default' })
    expect((await alice.get('/namespaces/found%2FSUB')).body).toMatchObject({ full_path: 'Found/Sub' })
    expect((await alice.get('/namespaces/ALICE')).body).toMatchObject({ kind: 'user', path: 'alice', parent_id: null })
  })

  test('is visible to members, and to others by its visibility', async () => {
    const stranger = await server.user('stranger')
    const secret = await server.make.group('ns-private', alice)
    await server.make.group('ns-internal', alice, { visibility: 'internal' })
    for (const path of [secret.id, 'ns-private', 'alice', '0', '99999999999999999999', 'no-such', '%2F', '%25']) {
      expect(await stranger.get(`/namespaces/${path}`)).toMatchObject(namespaceNotFound)
    }
    const seen = await stranger.get('/namespaces/ns-internal')
    expect(seen.status).toBe(200)
    expect(seen.body).not.toHaveProperty('plan')
    expect((await server.root.get('/namespaces/alice')).body).toMatchObject({ root_repository_size: 0 })
    await server.make.member({ namespace: secret }, stranger, 10)
    expect((await stranger.get('/namespaces/ns-private')).status).toBe(200)
  })
})

describe('the check of a path', () => {
  const exists = async (path: string, query = '') => (await alice.get(`/namespaces/${path}/exists${query}`)).body

  test('suggests a free path', async () => {
    await server.make.group('busy', alice)
    expect(await exists('free')).toEqual({ exists: false, suggests: [] })
    expect(await exists('BUSY')).toEqual({ exists: true, suggests: ['BUSY1'] })
    await server.make.group('busy1', alice)
    await server.make.group('Busy2', alice)
    expect(await exists('busy')).toEqual({ exists: true, suggests: ['busy3'] })
    expect(await exists('alice')).toEqual({ exists: true, suggests: ['alice1'] })
  })

  test('looks below a group that the caller may see', async () => {
    const top = await server.make.group('below', alice)
    await server.make.group('taken', alice, { parent: top })
    await server.make.project('thing', alice, { namespace: top })
    expect(await exists('taken')).toEqual({ exists: false, suggests: [] })
    expect(await exists('taken', `?parent_id=${top.id}`)).toEqual({ exists: true, suggests: ['taken1'] })
    expect(await exists('thing', `?parent_id=${top.id}`)).toEqual({ exists: true, suggests: ['thing1'] })
    expect(await exists('x', '?parent_id=9223372036854775807')).toEqual({ exists: false, suggests: [] })
    const stranger = await server.user('exists-stranger')
    const hidden = await stranger.get(`/namespaces/taken/exists?parent_id=${top.id}`)
    expect(hidden.body).toEqual({ exists: false, suggests: [] })
    expect(await alice.get('/namespaces/x/exists?parent_id=one')).toMatchObject({
      status: 400,
      body: { error: 'parent_id is invalid' },
    })
  })

  test('ignores redirects', async () => {
    const group = await server.make.group('before', alice)
    await alice.put(`/groups/${group.id}`, { path: 'after' })
    expect(await exists('before')).toEqual({ exists: false, suggests: [] })
    expect(await exists('after')).toEqual({ exists: true, suggests: ['after1'] })
  })

  test('accepts any text', async () => {
    for (const path of ['a%2Fb', '%F0%9F%9A%80', '%25', "'"]) {
      expect((await alice.get(`/namespaces/${path}/exists`)).body).toEqual({ exists: false, suggests: [] })
    }
  })
})

test('numbers that no id can be are left out', () => {
  expect(possibleIds([1, 2 ** 53 - 1, 2 ** 53, 1e300, 1.5, 2])).toEqual([1, 2 ** 53 - 1, 2])
})
