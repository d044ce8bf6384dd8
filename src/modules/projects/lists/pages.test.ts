import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type Person, queriesOf, type TestServer } from '../../../testing/index.ts'
import type { HandsOn } from '../testing.ts'
import { allNames, listedProjects, namesOf, sortedNamesOf } from './testing.ts'

let server: TestServer
let hands: HandsOn
let alice: Person
let bob: Person
/** A user without any role. */
let eve: Person

type Shown = { name: string; id: number }

beforeAll(async () => {
  ;({ server, hands, alice, bob, eve } = await listedProjects())
})
afterAll(() => server.stop())

describe('order and pages', () => {
  test.each([
    ['order_by=id&sort=asc', ['hidden', 'inside', 'open', 'in-top', 'in-sub']],
    ['', ['in-sub', 'in-top', 'open', 'inside', 'hidden']],
    ['order_by=name&sort=asc', allNames],
    ['order_by=path&sort=desc', [...allNames].reverse()],
    ['order_by=similarity&search=in-', ['in-sub', 'in-top']],
    ['order_by=repository_size', ['in-sub', 'in-top', 'open', 'inside', 'hidden']],
  ])('?%s', async (query, expected) => {
    expect(await namesOf(alice, `/projects?${query}`)).toEqual(expected)
  })

  test('by size for administrators', async () => {
    const { id } = (await alice.get('/projects/alice%2Fopen')).body
    await server.app.platform.database.write((tx) =>
      tx.updateTable('repositories').set({ size_bytes: 5000, commit_count: 7 }).where('project_id', '=', id).execute(),
    )
    for (const order of ['repository_size', 'storage_size']) {
      expect((await namesOf(server.root, `/projects?order_by=${order}`))[0]).toBe('open')
    }
    expect(await namesOf(server.root, '/projects?order_by=packages_size&sort=asc')).toHaveLength(5)
    const statistics = async (client: Client) =>
      (await client.get('/projects?statistics=true&search=open')).body[0].statistics
    expect(await statistics(alice)).toMatchObject({
      commit_count: 7,
      repository_size: 5000,
      storage_size: 5000,
      wiki_size: 0,
    })
    expect(await statistics(eve)).toBeUndefined()
  })

  test('by similarity: the best match is first', async () => {
    await server.make.project('open-source', alice, { visibility: 'public' })
    await server.make.project('reopen', alice, { visibility: 'public' })
    expect(await namesOf(alice, '/projects?search=open&order_by=similarity')).toEqual(['open', 'open-source', 'reopen'])
    for (const name of ['open-source', 'reopen']) await server.root.delete(`/projects/alice%2F${name}`)
    const marked = await server.root.get('/projects?search=open')
    for (const { id, path_with_namespace: path } of marked.body) {
      if (path === 'alice/open') continue
      await hands.change(id, { pending_delete: true })
    }
  })

  test('by page number, with totals', async () => {
    const page = await alice.get('/projects?per_page=2&page=2&order_by=id&sort=asc&simple=true')
    expect(page.body.map(({ name }: Shown) => name)).toEqual(['open', 'in-top'])
    const headers = Object.fromEntries(page.headers)
    expect(headers).toMatchObject({ 'x-total': '5', 'x-total-pages': '3', 'x-next-page': '3', 'x-prev-page': '1' })
    const last = await alice.get('/projects?per_page=2&page=3')
    expect([last.headers.get('x-total'), last.headers.get('x-next-page')]).toEqual(['5', ''])
    const beyond = await alice.get('/projects?per_page=2&page=9')
    expect([beyond.status, beyond.body, beyond.headers.get('x-total')]).toEqual([200, [], '5'])
    const head = await alice.head('/projects')
    expect([head.status, head.body, head.headers.get('x-total')]).toEqual([200, '', '5'])
  })

  test('not beyond an offset of 50,000', async () => {
    const { status, body } = await alice.get('/projects?page=502&per_page=100')
    expect(status).toBe(405)
    expect(body.error).toMatch(/objects of type Project\. /)
  })

  test.each([
    ['asc', ['hidden', 'inside', 'open', 'in-top', 'in-sub']],
    ['desc', ['in-sub', 'in-top', 'open', 'inside', 'hidden']],
  ])('by keyset, %s', async (sort, expected) => {
    const walked: string[] = []
    let path: string | undefined = `/projects?pagination=keyset&order_by=id&sort=${sort}&per_page=2`
    while (path) {
      const { body, headers } = await alice.get(path)
      walked.push(...body.map(({ name }: Shown) => name))
      expect(headers.get('x-total')).toBeNull()
      path = /^<.*\/api\/v4(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    }
    expect(walked).toEqual(expected)
  })

  test('by keyset only by id', async () => {
    for (const query of ['', '&order_by=name', '&order_by=created_at']) {
      expect((await alice.get(`/projects?pagination=keyset${query}`)).status).toBe(405)
    }
    const cursor = Buffer.from('["x"]').toString('base64url')
    const refused = await alice.get(`/projects?pagination=keyset&order_by=id&cursor=${cursor}`)
    expect([refused.status, refused.body.message]).toEqual([400, '400 Bad request - invalid cursor'])
    const filtered = await alice.get('/projects?pagination=keyset&order_by=id&sort=desc&id_after=2')
    expect(filtered.body.every(({ id }: Shown) => id > 2)).toBe(true)
    expect(filtered.body.length).toBeGreaterThan(1)
  })
})

describe('lists of a user or group', () => {
  test('contain the projects of a user', async () => {
    expect(await sortedNamesOf(alice, '/users/alice/projects')).toEqual(['hidden', 'inside', 'open'])
    expect(await sortedNamesOf(eve, `/users/${alice.id}/projects`)).toEqual(['inside', 'open'])
    expect(await sortedNamesOf(server.anonymous, '/users/ALICE/projects')).toEqual(['open'])
    expect(await sortedNamesOf(alice, '/users/alice/projects?search=hidden')).toEqual(['hidden'])
    expect((await alice.get('/users/nobody/projects')).body).toEqual({ message: '404 User Not Found' })
    const reader = server.as(await server.make.token(alice, ['read_user']))
    expect((await reader.get('/users/alice/projects')).status).toBe(200)
  })

  test('contain the projects of a group', async () => {
    expect(await sortedNamesOf(alice, '/groups/top/projects')).toEqual(['in-top'])
    expect(await sortedNamesOf(alice, '/groups/top/projects?include_subgroups=true')).toEqual(['in-sub', 'in-top'])
    expect(await sortedNamesOf(bob, '/groups/top%2Fsub/projects')).toEqual(['in-sub'])
    expect(await sortedNamesOf(alice, '/groups/top%2Fsub/projects?include_ancestor_groups=true')).toEqual([
      'in-sub',
      'in-top',
    ])
    expect(await sortedNamesOf(bob, '/groups/top%2Fsub/projects?include_ancestor_groups=true')).toEqual(['in-sub'])
    expect(await sortedNamesOf(bob, '/groups/friends/projects')).toEqual(['hidden'])
    expect(await sortedNamesOf(bob, '/groups/friends/projects?with_shared=false')).toEqual([])
    expect(await sortedNamesOf(bob, '/groups/friends/projects/shared')).toEqual(['hidden'])
    expect((await eve.get('/groups/top/projects')).body).toEqual({ message: '404 Group Not Found' })
    expect((await server.anonymous.get('/groups/top/projects')).status).toBe(404)
  })

  test('are in the object of the group', async () => {
    const group = (await bob.get('/groups/friends')).body
    expect(group.projects).toEqual([])
    expect(group.shared_projects.map(({ name }: Shown) => name)).toEqual(['hidden'])
    expect((await alice.get('/groups/top')).body.projects[0]).toMatchObject({ path_with_namespace: 'top/in-top' })
  })
})

describe('the number of queries', () => {
  test('is the same for 20 projects as for 2', async () => {
    const dora = await server.user('dora')
    const group = await server.make.group('many', dora)
    const source = await server.make.project('source', alice, { visibility: 'public' })
    const make = async (name: string, place: object) => {
      const { id } = await server.make.project(name, dora, place)
      await hands.change(id, { forked_from_id: source.id })
    }
    const countedQueries = async () => {
      const list = () => dora.get('/projects?membership=true&per_page=100&statistics=true')
      return { queries: await queriesOf(server, list), rows: (await list()).body.length }
    }
    await make('a1', {})
    await make('g1', { namespace: group })
    const few = await countedQueries()
    for (let index = 2; index <= 10; index += 1) {
      await make(`a${index}`, {})
      await make(`g${index}`, { namespace: group })
    }
    const many = await countedQueries()
    expect([few.rows, many.rows]).toEqual([2, 20])
    expect(many.queries).toBe(few.queries)
  })
})
