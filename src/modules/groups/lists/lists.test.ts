import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../index.ts'
import { type Answer, type Person, queriesOf, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { insertSubgroups, pathsOf, removeSubgroups } from '../testing.ts'

let server: TestServer
let alice: Person
let bob: Person
const groups: Record<string, NamespaceRow> = {}

beforeAll(async () => {
  // A clock that stands still: nothing but the requests themselves runs queries.
  server = await startTestServer({ clock: manualClock({ start: '2026-03-01T12:00:00.000Z' }) })
  alice = await server.user('alice')
  bob = await server.user('bob')
  const { make } = server
  groups.secret = await make.group('a-secret', alice)
  groups.inner = await make.group('b-inner', alice, { visibility: 'internal' })
  groups.open = await make.group('c-open', alice, { visibility: 'public' })
  groups.sub = await make.group('d-sub', alice, { parent: groups.secret })
  groups.leaf = await make.group('e-leaf', alice, { parent: groups.sub })
  groups.openSub = await make.group('f-opensub', alice, { parent: groups.open, visibility: 'public' })
  groups.own = await make.group('g-own', bob)
  await make.member({ namespace: groups.secret }, bob, 30)
})
afterAll(() => server.stop())

describe('the list of groups', () => {
  test('shows each caller the groups that they may see', async () => {
    const open = ['c-open', 'f-opensub']
    const all = ['a-secret', 'b-inner', 'c-open', 'd-sub', 'e-leaf', 'f-opensub', 'g-own']
    expect(pathsOf(await server.anonymous.get('/groups'))).toEqual(open)
    expect(pathsOf(await bob.get('/groups'))).toEqual(['a-secret', 'd-sub', 'e-leaf', 'g-own'])
    expect(pathsOf(await bob.get('/groups?all_available=true'))).toEqual(all)
    expect(pathsOf(await server.root.get('/groups'))).toEqual(all)
    expect(pathsOf(await server.root.get('/groups?all_available=false'))).toEqual([])
    const stranger = await server.user('list-stranger')
    expect(pathsOf(await stranger.get('/groups'))).toEqual([])
    expect(pathsOf(await stranger.get('/groups?all_available=true'))).toEqual(['b-inner', ...open])
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('users').set({ external: true }).where('id', '=', stranger.id).execute(),
    )
    expect(pathsOf(await stranger.get('/groups?all_available=true'))).toEqual(open)
  })

  test('counts roles through invited groups, without expired ones', async () => {
    const carl = await server.user('carl')
    const team = await server.make.group('z-team', carl)
    const host = await server.make.group('z-host', alice)
    const { database } = server.app.platform
    const created_at = '2026-01-01T00:00:00.000Z'
    const link = { group_id: team.id, namespace_id: host.id, access_level: 30, created_at }
    await database.write((tx) => tx.insertInto('group_links').values(link).execute())
    expect(pathsOf(await carl.get('/groups'))).toEqual(['z-host', 'z-team'])
    expect(pathsOf(await carl.get('/groups?min_access_level=40'))).toEqual(['z-team'])
    await database.write((tx) =>
      tx.updateTable('group_links').set({ expires_at: '2026-01-02' }).where('namespace_id', '=', host.id).execute(),
    )
    expect(pathsOf(await carl.get('/groups'))).toEqual(['z-team'])
  })

  test('filters', async () => {
    const list = async (query: string) => pathsOf(await bob.get(`/groups?${query}`))
    expect(await list('owned=true')).toEqual(['g-own'])
    expect(await list('owned=true&all_available=true')).toEqual(['g-own'])
    expect(await list('min_access_level=30')).toEqual(['a-secret', 'd-sub', 'e-leaf', 'g-own'])
    expect(await list('min_access_level=40&all_available=true')).toEqual(['g-own'])
    expect(await list('top_level_only=true')).toEqual(['a-secret', 'g-own'])
    expect(await list('search=SUB')).toEqual(['d-sub'])
    expect(await list('search=%25')).toEqual([])
    expect(await list(`skip_groups[]=${groups.secret?.id}&skip_groups[]=99999999999999999`)).toEqual([
      'd-sub',
      'e-leaf',
      'g-own',
    ])
    expect(await list('all_available=true&visibility=internal')).toEqual(['b-inner'])
    expect(await list('marked_for_deletion_on=2026-01-01')).toEqual([])
    // What others send is not looked at.
    expect(await list('repository_storage=nowhere&owned=true')).toEqual(['g-own'])
    expect(pathsOf(await server.root.get('/groups?repository_storage=nowhere'))).toEqual([])
    expect(pathsOf(await server.root.get('/groups?repository_storage=default&search=g-own'))).toEqual(['g-own'])
    expect(pathsOf(await server.anonymous.get('/groups?owned=true'))).toEqual([])
  })

  test('orders', async () => {
    const list = async (query: string) => pathsOf(await bob.get(`/groups?${query}`))
    expect(await list('sort=desc')).toEqual(['g-own', 'e-leaf', 'd-sub', 'a-secret'])
    expect(await list('order_by=id&sort=desc')).toEqual(['g-own', 'e-leaf', 'd-sub', 'a-secret'])
    expect(await list('order_by=path&sort=desc')).toEqual(['g-own', 'e-leaf', 'd-sub', 'a-secret'])
    const dora = await server.user('dora')
    for (const path of ['a-like-sim', 'sim-like', 'sim']) await server.make.group(path, dora)
    expect(pathsOf(await dora.get('/groups?search=sim&order_by=similarity'))).toEqual(['sim', 'sim-like', 'a-like-sim'])
    expect(pathsOf(await dora.get('/groups?order_by=similarity'))).toEqual(['a-like-sim', 'sim', 'sim-like'])
    for (const [name, value] of [
      ['order_by', 'size'],
      ['sort', 'up'],
      ['visibility', 'secret'],
      ['min_access_level', '33'],
    ]) {
      const answer = await bob.get(`/groups?${name}=${value}`)
      expect(answer).toMatchObject({ status: 400, body: { error: `${name} does not have a valid value` } })
    }
  })

  test('has pages with totals', async () => {
    const first = await bob.get('/groups?per_page=3')
    expect(pathsOf(first)).toEqual(['a-secret', 'd-sub', 'e-leaf'])
    expect(first.headers.get('x-total')).toBe('4')
    expect(first.headers.get('x-next-page')).toBe('2')
    expect(pathsOf(await bob.get('/groups?per_page=3&page=2'))).toEqual(['g-own'])
    const past = await bob.get('/groups?per_page=3&page=9')
    expect(past.body).toEqual([])
    expect(past.headers.get('x-total')).toBe('4')
    const head = await bob.head('/groups')
    expect(head.headers.get('x-total')).toBe('4')
  })

  test('has keyset pages by name for anonymous users', async () => {
    const zed = await server.user('zed')
    for (const path of ['w1', 'w2', 'w3', 'w4', 'w5']) await server.make.group(path, zed, { visibility: 'public' })
    const walked: string[] = []
    let address: string | undefined = '/groups?pagination=keyset&per_page=2&search=w&order_by=name'
    while (address !== undefined) {
      const page: Answer = await server.anonymous.get(address)
      expect(page.status).toBe(200)
      expect(page.headers.get('x-total')).toBeNull()
      walked.push(...pathsOf(page))
      address = /<[^>]*\/api\/v4([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
      if (walked.length > 10) break
    }
    expect(walked).toEqual(['w1', 'w2', 'w3', 'w4', 'w5'])
    const unavailable = {
      status: 405,
      body: {
        error: 'Keyset pagination is not yet available for this type of request',
        message: '405 Method Not Allowed',
      },
    }
    expect(await bob.get('/groups?pagination=keyset')).toMatchObject(unavailable)
    expect(await server.anonymous.get('/groups?pagination=keyset&order_by=id')).toMatchObject(unavailable)
    for (const cursor of ['nonsense', Buffer.from('[1]').toString('base64url')]) {
      const answer = await server.anonymous.get(`/groups?pagination=keyset&cursor=${cursor}`)
      expect(answer).toMatchObject({ status: 400, body: { message: '400 Bad request - invalid cursor' } })
    }
  })

  test('shows administrators the sizes of repositories', async () => {
    const eve = await server.user('eve')
    const top = await server.make.group('sized', eve)
    const sub = await server.make.group('sized-sub', eve, { parent: top })
    const one = await server.make.project('one', eve, { namespace: top })
    const two = await server.make.project('two', eve, { namespace: sub })
    await server.app.platform.database.write(async (tx) => {
      for (const [project, bytes] of [
        [one, 1000],
        [two, 20],
      ] as const) {
        await tx.updateTable('repositories').set({ size_bytes: bytes }).where('project_id', '=', project.id).execute()
      }
    })
    const listed = await server.root.get('/groups?search=sized&statistics=true&with_custom_attributes=true')
    expect(listed.body).toMatchObject([
      {
        path: 'sized',
        custom_attributes: [],
        statistics: { storage_size: 1000, repository_size: 1000, wiki_size: 0, uploads_size: 0 },
        root_storage_statistics: { storage_size: 1020 },
        repository_storage: 'default',
      },
      { path: 'sized-sub', statistics: { storage_size: 20 } },
    ])
    expect(listed.body[1]).not.toHaveProperty('root_storage_statistics')
    const own = await eve.get('/groups?search=sized&statistics=true&with_custom_attributes=true')
    for (const group of own.body) {
      for (const member of ['statistics', 'custom_attributes', 'repository_storage', 'root_storage_statistics']) {
        expect(group).not.toHaveProperty(member)
      }
    }
  })

  test('takes the same number of queries for any number of groups', async () => {
    const finn = await server.user('finn')
    const cost = (client: Pick<Person, 'get'>, query: string) =>
      queriesOf(server, async () => {
        expect((await client.get(`/groups?${query}`)).status).toBe(200)
      })
    for (const path of ['n1', 'n2']) await server.make.group(`finn-${path}`, finn)
    const few = await cost(finn, 'search=finn')
    const fewSizes = await cost(server.root, 'search=finn&statistics=true')
    for (let index = 3; index <= 20; index += 1) await server.make.group(`finn-n${index}`, finn)
    expect(await cost(finn, 'search=finn')).toBe(few)
    expect(await cost(server.root, 'search=finn&statistics=true')).toBe(fewSizes)
  })
})

describe('the groups below a group', () => {
  test('are its children, or all descendants', async () => {
    expect(pathsOf(await bob.get(`/groups/${groups.secret?.id}/subgroups`))).toEqual(['d-sub'])
    expect(pathsOf(await bob.get(`/groups/${groups.secret?.id}/descendant_groups`))).toEqual(['d-sub', 'e-leaf'])
    expect(pathsOf(await bob.get(`/groups/${groups.leaf?.id}/descendant_groups`))).toEqual([])
    expect(pathsOf(await server.anonymous.get('/groups/c-open/subgroups'))).toEqual(['f-opensub'])
    expect(pathsOf(await bob.get('/groups/c-open/subgroups'))).toEqual([])
    expect(pathsOf(await bob.get('/groups/c-open/subgroups?all_available=true'))).toEqual(['f-opensub'])
    expect(pathsOf(await alice.get('/groups/a-secret%2Fd-sub/subgroups?search=nothing'))).toEqual([])
  })

  test('are found in the same order where they are many', async () => {
    const id = groups.secret?.id as number
    const many = 1500
    await insertSubgroups(server, id, many)
    const paths = ['d-sub', 'e-leaf', ...Array.from({ length: many }, (_, index) => `many${index + 1}`)].sort()
    const list = (query: string, person: Pick<Person, 'get'> = bob) =>
      person.get(`/groups/${id}/descendant_groups?per_page=50&${query}`)
    for (const person of [bob, alice, server.root]) {
      const first = await list('', person)
      expect(pathsOf(first)).toEqual(paths.slice(0, 50))
      expect(first.headers.get('x-total')).toBe(String(many + 2))
    }
    expect(pathsOf(await list('page=31'))).toEqual(paths.slice(1500))
    expect(pathsOf(await list('order_by=path&sort=desc'))).toEqual(paths.toReversed().slice(0, 50))
    expect(pathsOf(await list('search=leaf'))).toEqual(['e-leaf'])
    const { write } = server.app.platform.database
    const hide = (pending_delete: boolean) =>
      write((tx) => tx.updateTable('namespaces').set({ pending_delete }).where('path', '=', 'e-leaf').execute())
    await hide(true)
    expect(pathsOf(await list(''))[1]).toBe('many1')
    await hide(false)
    await write((tx) =>
      sql`insert into custom_attributes (namespace_id, key, value, created_at, updated_at)
        select id, 'size', 'many', created_at, updated_at from namespaces where parent_id = ${id}`.execute(tx),
    )
    const common = await server.root.get('/groups?custom_attributes[size]=many&per_page=50&repository_storage=default')
    expect(pathsOf(common)).toEqual(paths.filter((path) => path !== 'e-leaf').slice(0, 50))
    expect(common.headers.get('x-total')).toBe(String(many + 1))
    await removeSubgroups(server, id)
  })

  test('are not found by callers who may not see the group', async () => {
    const stranger = await server.user('below-stranger')
    for (const list of ['subgroups', 'descendant_groups', 'invited_groups', 'groups/shared', 'transfer_locations']) {
      expect(await stranger.get(`/groups/${groups.secret?.id}/${list}`)).toMatchObject({
        status: 404,
        body: { message: '404 Group Not Found' },
      })
      const isOpen = list.endsWith('groups')
      const answer = await server.anonymous.get(`/groups/${groups.open?.id}/${list}`)
      expect(answer.status).toBe(isOpen ? 200 : 401)
    }
  })
})
