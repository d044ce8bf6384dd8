import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type Person, startTestServer, type TestServer } from '../../testing/index.ts'

let server: TestServer
let alice: Person
let bob: Person
/** Who has no place anywhere. */
let eve: Person

type Shown = { name: string; id: number }

const namesOf = async (client: Client, path: string): Promise<string[]> => {
  const { status, body } = await client.get(path)
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  return body.map(({ name }: Shown) => name)
}

const sorted = async (client: Client, path: string) => (await namesOf(client, path)).sort()

const change = (id: number, changes: Record<string, unknown>) =>
  server.app.floor.database.write((tx) => tx.updateTable('projects').set(changes).where('id', '=', id).execute())

/**
 * Alice: a private, an internal and a public project; a group `top` with `top/sub`, a project in each; Bob is developer
 * of `top/sub` and, through the group `friends`, reporter of Alice's private project.
 */
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.user('alice')
  bob = await server.user('bob')
  eve = await server.user('eve')
  const { make } = server
  const hidden = await make.project('hidden', alice)
  await make.project('inside', alice, { visibility: 'internal' })
  await make.project('open', alice, { visibility: 'public' })
  const top = await make.group('top', alice)
  const sub = await make.group('sub', alice, { parent: top })
  await make.project('in-top', alice, { namespace: top })
  await make.project('in-sub', alice, { namespace: sub })
  await make.member({ namespace: sub }, bob, 30)
  const friends = await make.group('friends', bob)
  await server.app.floor.database.write((tx) =>
    tx
      .insertInto('group_links')
      .values({ group_id: friends.id, project_id: hidden.id, access_level: 20, created_at: hidden.created_at })
      .execute(),
  )
})
afterAll(() => server.stop())

const all = ['hidden', 'in-sub', 'in-top', 'inside', 'open']

describe('who sees what', () => {
  test('everybody only what they may', async () => {
    expect(await sorted(server.root, '/projects')).toEqual(all)
    expect(await sorted(alice, '/projects')).toEqual(all)
    expect(await sorted(bob, '/projects')).toEqual(['hidden', 'in-sub', 'inside', 'open'])
    expect(await sorted(eve, '/projects')).toEqual(['inside', 'open'])
    expect(await sorted(server.anonymous, '/projects')).toEqual(['open'])
  })

  test('external users see the internal ones only as members', async () => {
    const { database } = server.app.floor
    const ext = await server.user('ext')
    await database.write((tx) => tx.updateTable('users').set({ external: true }).where('id', '=', ext.id).execute())
    expect(await sorted(ext, '/projects')).toEqual(['open'])
  })

  test('expired roles count no more', async () => {
    const late = await server.user('late')
    const [project] = (await alice.get('/projects?search=hidden')).body
    await server.app.floor.database.write((tx) =>
      tx
        .insertInto('members')
        .values({
          project_id: project.id,
          user_id: late.id,
          access_level: 40,
          expires_at: '2020-01-01',
          created_at: project.created_at,
        })
        .execute(),
    )
    expect(await sorted(late, '/projects')).toEqual(['inside', 'open'])
  })

  test('at which level', async () => {
    const [own] = (await alice.get('/projects?search=in-sub')).body
    expect(own.permissions).toEqual({ project_access: null, group_access: { access_level: 50, notification_level: 3 } })
    expect(own).toMatchObject({ build_timeout: 3600, import_error: null, default_branch: null })
    const [shared] = (await bob.get('/projects?search=hidden')).body
    expect(shared.permissions.project_access.access_level).toBe(20)
    expect(shared.shared_with_groups).toMatchObject([
      { group_full_path: 'friends', group_access_level: 20, expires_at: null },
    ])
    expect(shared).not.toHaveProperty('build_timeout')
    const [stranger] = (await eve.get('/projects?search=open')).body
    expect(stranger.permissions).toEqual({ project_access: null, group_access: null })
    const [nobodys] = (await server.anonymous.get('/projects')).body
    expect(Object.keys(nobodys)).not.toContain('permissions')
    expect(Object.keys(nobodys)).not.toContain('_links')
    const [simple] = (await alice.get('/projects?simple=true')).body
    expect(Object.keys(simple).sort()).toEqual(Object.keys(nobodys).sort())
  })

  test('a group that the caller does not see is not shown as invited', async () => {
    const [shown] = (await alice.get('/projects?search=hidden')).body
    expect(shown.shared_with_groups).toEqual([])
    const [toAdministrator] = (await server.root.get('/projects?search=hidden')).body
    expect(toAdministrator.shared_with_groups).toHaveLength(1)
    expect(toAdministrator.repository_storage).toBe('default')
    expect(shown).not.toHaveProperty('repository_storage')
  })
})

describe('filters', () => {
  test.each([
    ['visibility=internal', ['inside']],
    ['search=IN-', ['in-sub', 'in-top']],
    ['search=in', []],
    ['search=open', ['open']],
    ['search=top', ['in-top']],
    ['search=top&search_namespaces=true', ['in-sub', 'in-top']],
    ['search=%25%25%25', []],
    ['search=___', []],
    ['search=%27%22%5C%3B--', []],
    ['owned=true', all],
    ['membership=true', all],
    ['starred=true', []],
    ['imported=true', []],
    ['archived=true', []],
    ['archived=false', all],
    ['topic=nothing', []],
    ['min_access_level=50', all],
    ['with_issues_enabled=true&with_merge_requests_enabled=yes', all],
    ['id_after=999999', []],
    ['id_before=1', []],
    ['id_after=9223372036854775807', []],
    ['last_activity_after=2100-01-01', []],
    ['last_activity_before=2100-01-01T00:00:00Z', all],
    ['updated_after=2100-01-01&order_by=updated_at', []],
    ['marked_for_deletion_on=2020-01-01', []],
    ['repository_storage=nowhere', all],
  ])('?%s', async (query, expected) => {
    expect(await sorted(alice, `/projects?${query}`)).toEqual(expected)
  })

  test.each([
    ['owned=true', []],
    ['membership=true', ['hidden', 'in-sub']],
    ['min_access_level=10', ['hidden', 'in-sub']],
    ['min_access_level=20', ['hidden', 'in-sub']],
    ['min_access_level=30', ['in-sub']],
    ['min_access_level=40', []],
  ])('what Bob is there: ?%s', async (query, expected) => {
    expect(await sorted(bob, `/projects?${query}`)).toEqual(expected)
  })

  test('relations that nobody has do not narrow', async () => {
    expect(await sorted(server.anonymous, '/projects?owned=true&starred=true&min_access_level=50')).toEqual(['open'])
  })

  test('all topics have to match', async () => {
    await alice.put('/projects/alice%2Fopen', { topics: ['red', 'green'] })
    await alice.put('/projects/alice%2Finside', { topics: ['red'] })
    expect(await sorted(alice, '/projects?topic=red')).toEqual(['inside', 'open'])
    expect(await sorted(alice, '/projects?topic=red,green')).toEqual(['open'])
    expect(await sorted(alice, '/projects?topic[]=red&topic[]=green')).toEqual(['open'])
  })

  test('features that are off, or for members only', async () => {
    await alice.put('/projects/alice%2Fopen', { issues_enabled: false, merge_requests_access_level: 'private' })
    expect(await sorted(alice, '/projects?with_issues_enabled=true')).not.toContain('open')
    expect(await sorted(alice, '/projects?with_merge_requests_enabled=true')).toContain('open')
    expect(await sorted(eve, '/projects?with_merge_requests_enabled=true')).toEqual(['inside'])
    expect(await sorted(server.anonymous, '/projects?with_merge_requests_enabled=true')).toEqual([])
    await alice.put('/projects/alice%2Fopen', { issues_enabled: true, merge_requests_access_level: 'enabled' })
  })

  test('stars, archived, marked and leaving projects', async () => {
    const { id } = (await alice.get('/projects/alice%2Finside')).body
    await eve.post(`/projects/${id}/star`)
    expect(await sorted(eve, '/projects?starred=true')).toEqual(['inside'])
    await change(id, { archived: true })
    expect(await sorted(eve, '/projects?archived=true')).toEqual(['inside'])
    expect(await sorted(eve, '/projects?archived=false')).toEqual(['open'])
    await change(id, { archived: false, marked_for_deletion_on: '2026-01-02' })
    expect(await sorted(eve, '/projects?marked_for_deletion_on=2026-01-02')).toEqual(['inside'])
    await change(id, { marked_for_deletion_on: null, pending_delete: true })
    expect(await sorted(alice, '/projects')).not.toContain('inside')
    expect(await sorted(alice, '/projects?include_pending_delete=true')).not.toContain('inside')
    expect(await sorted(server.root, '/projects?include_pending_delete=true')).toEqual(all)
    await change(id, { pending_delete: false })
  })

  test('the storage, for administrators', async () => {
    expect(await sorted(server.root, '/projects?repository_storage=default')).toEqual(all)
    expect(await sorted(server.root, '/projects?repository_storage=nowhere')).toEqual([])
  })

  test('what cannot be asked for', async () => {
    const errorOf = async (query: string) => {
      const { status, body } = await alice.get(`/projects?${query}`)
      return [status, body.error ?? body.message]
    }
    expect(await errorOf('order_by=size')).toEqual([400, 'order_by does not have a valid value'])
    expect(await errorOf('sort=up')).toEqual([400, 'sort does not have a valid value'])
    expect(await errorOf('visibility=secret')).toEqual([400, 'visibility does not have a valid value'])
    expect(await errorOf('min_access_level=33')).toEqual([400, 'min_access_level does not have a valid value'])
    expect(await errorOf('archived=maybe')).toEqual([400, 'archived is invalid'])
    expect(await errorOf('id_after=x')).toEqual([400, 'id_after is invalid'])
    expect(await errorOf('search[a]=b')).toEqual([400, 'search is invalid'])
    expect(await errorOf('search=%00')).toEqual([400, 'search is invalid'])
    expect(await errorOf('last_activity_after=yesterday')).toEqual([400, 'last_activity_after is invalid'])
    expect(await errorOf('updated_after=2020-01-01')).toEqual([
      400,
      '400 Bad request - `updated_at` filter and `updated_at` sorting must be paired',
    ])
    expect((await server.as('nonsense').get('/projects')).status).toBe(401)
  })
})

describe('order and pages', () => {
  test.each([
    ['order_by=id&sort=asc', ['hidden', 'inside', 'open', 'in-top', 'in-sub']],
    ['', ['in-sub', 'in-top', 'open', 'inside', 'hidden']],
    ['order_by=name&sort=asc', all],
    ['order_by=path&sort=desc', [...all].reverse()],
    ['order_by=similarity&search=in-', ['in-sub', 'in-top']],
    ['order_by=repository_size', ['in-sub', 'in-top', 'open', 'inside', 'hidden']],
  ])('?%s', async (query, expected) => {
    expect(await namesOf(alice, `/projects?${query}`)).toEqual(expected)
  })

  test('by size, for administrators', async () => {
    const { id } = (await alice.get('/projects/alice%2Fopen')).body
    await server.app.floor.database.write((tx) =>
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

  test('the nearest to what was searched comes first', async () => {
    await server.make.project('open-source', alice, { visibility: 'public' })
    await server.make.project('reopen', alice, { visibility: 'public' })
    expect(await namesOf(alice, '/projects?search=open&order_by=similarity')).toEqual(['open', 'open-source', 'reopen'])
    for (const name of ['open-source', 'reopen']) await server.root.delete(`/projects/alice%2F${name}`)
    const marked = await server.root.get('/projects?search=open')
    for (const { id, path_with_namespace: path } of marked.body) {
      if (path === 'alice/open') continue
      await change(id, { pending_delete: true })
    }
  })

  test('by number, with totals', async () => {
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

  test('not by a number beyond 50,000', async () => {
    const { status, body } = await alice.get('/projects?page=502&per_page=100')
    expect(status).toBe(405)
    expect(body.error).toMatch(/objects of type Project\. /)
  })

  test.each([
    ['asc', ['hidden', 'inside', 'open', 'in-top', 'in-sub']],
    ['desc', ['in-sub', 'in-top', 'open', 'inside', 'hidden']],
  ])('as a walk, %s', async (sort, expected) => {
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

  test('as a walk only by id', async () => {
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

describe('lists of some place', () => {
  test('the projects of a user', async () => {
    expect(await sorted(alice, '/users/alice/projects')).toEqual(['hidden', 'inside', 'open'])
    expect(await sorted(eve, `/users/${alice.id}/projects`)).toEqual(['inside', 'open'])
    expect(await sorted(server.anonymous, '/users/ALICE/projects')).toEqual(['open'])
    expect(await sorted(alice, '/users/alice/projects?search=hidden')).toEqual(['hidden'])
    expect((await alice.get('/users/nobody/projects')).body).toEqual({ message: '404 User Not Found' })
    const reader = server.as(await server.make.token(alice, ['read_user']))
    expect((await reader.get('/users/alice/projects')).status).toBe(200)
  })

  test('the projects of a group', async () => {
    expect(await sorted(alice, '/groups/top/projects')).toEqual(['in-top'])
    expect(await sorted(alice, '/groups/top/projects?include_subgroups=true')).toEqual(['in-sub', 'in-top'])
    expect(await sorted(bob, '/groups/top%2Fsub/projects')).toEqual(['in-sub'])
    expect(await sorted(alice, '/groups/top%2Fsub/projects?include_ancestor_groups=true')).toEqual(['in-sub', 'in-top'])
    expect(await sorted(bob, '/groups/top%2Fsub/projects?include_ancestor_groups=true')).toEqual(['in-sub'])
    expect(await sorted(bob, '/groups/friends/projects')).toEqual(['hidden'])
    expect(await sorted(bob, '/groups/friends/projects?with_shared=false')).toEqual([])
    expect(await sorted(bob, '/groups/friends/projects/shared')).toEqual(['hidden'])
    expect((await eve.get('/groups/top/projects')).body).toEqual({ message: '404 Group Not Found' })
    expect((await server.anonymous.get('/groups/top/projects')).status).toBe(404)
  })

  test('the group shows them itself', async () => {
    const group = (await bob.get('/groups/friends')).body
    expect(group.projects).toEqual([])
    expect(group.shared_projects.map(({ name }: Shown) => name)).toEqual(['hidden'])
    expect((await alice.get('/groups/top')).body.projects[0]).toMatchObject({ path_with_namespace: 'top/in-top' })
  })
})

describe('cost', () => {
  test('as many queries for 20 projects as for 2', async () => {
    const { database } = server.app.floor
    const dora = await server.user('dora')
    const group = await server.make.group('many', dora)
    const source = await server.make.project('source', alice, { visibility: 'public' })
    const make = async (name: string, place: object) => {
      const { id } = await server.make.project(name, dora, place)
      await change(id, { forked_from_id: source.id })
    }
    const countedQueries = async () => {
      await dora.get('/projects?membership=true&per_page=1')
      const before = database.queryCount()
      const { body } = await dora.get('/projects?membership=true&per_page=100&statistics=true')
      return { queries: database.queryCount() - before, rows: body.length }
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
