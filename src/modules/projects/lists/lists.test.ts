import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestServer } from '../../../testing/index.ts'
import type { HandsOn } from '../testing.ts'
import { allNames, listedProjects, sortedNamesOf } from './testing.ts'

let server: TestServer
let hands: HandsOn
let alice: Person
let bob: Person
/** A user without any role. */
let eve: Person

beforeAll(async () => {
  ;({ server, hands, alice, bob, eve } = await listedProjects())
})
afterAll(() => server.stop())

describe('visible projects', () => {
  test('are limited to those that the caller may see', async () => {
    expect(await sortedNamesOf(server.root, '/projects')).toEqual(allNames)
    expect(await sortedNamesOf(alice, '/projects')).toEqual(allNames)
    expect(await sortedNamesOf(bob, '/projects')).toEqual(['hidden', 'in-sub', 'inside', 'open'])
    expect(await sortedNamesOf(eve, '/projects')).toEqual(['inside', 'open'])
    expect(await sortedNamesOf(server.anonymous, '/projects')).toEqual(['open'])
  })

  test('include internal ones for external users only as members', async () => {
    const { database } = server.app.platform
    const ext = await server.user('ext')
    await database.write((tx) => tx.updateTable('users').set({ external: true }).where('id', '=', ext.id).execute())
    expect(await sortedNamesOf(ext, '/projects')).toEqual(['open'])
  })

  test('do not depend on expired roles', async () => {
    const late = await server.user('late')
    const [project] = (await alice.get('/projects?search=hidden')).body
    await server.app.platform.database.write((tx) =>
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
    expect(await sortedNamesOf(late, '/projects')).toEqual(['inside', 'open'])
  })

  test('are shown at the level of the caller', async () => {
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
    const [anonymous] = (await server.anonymous.get('/projects')).body
    expect(Object.keys(anonymous)).not.toContain('permissions')
    expect(Object.keys(anonymous)).not.toContain('_links')
    const [simple] = (await alice.get('/projects?simple=true')).body
    expect(Object.keys(simple).sort()).toEqual(Object.keys(anonymous).sort())
  })

  test('do not show invited groups that the caller cannot see', async () => {
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
    ['owned=true', allNames],
    ['membership=true', allNames],
    ['starred=true', []],
    ['imported=true', []],
    ['archived=true', []],
    ['archived=false', allNames],
    ['topic=nothing', []],
    ['min_access_level=50', allNames],
    ['with_issues_enabled=true&with_merge_requests_enabled=yes', allNames],
    ['id_after=999999', []],
    ['id_before=1', []],
    ['id_after=9223372036854775807', []],
    ['last_activity_after=2100-01-01', []],
    ['last_activity_before=2100-01-01T00:00:00Z', allNames],
    ['updated_after=2100-01-01&order_by=updated_at', []],
    ['marked_for_deletion_on=2020-01-01', []],
    ['repository_storage=nowhere', allNames],
  ])('?%s', async (query, expected) => {
    expect(await sortedNamesOf(alice, `/projects?${query}`)).toEqual(expected)
  })

  test.each([
    ['owned=true', []],
    ['membership=true', ['hidden', 'in-sub']],
    ['min_access_level=10', ['hidden', 'in-sub']],
    ['min_access_level=20', ['hidden', 'in-sub']],
    ['min_access_level=30', ['in-sub']],
    ['min_access_level=40', []],
  ])('by the role of Bob: ?%s', async (query, expected) => {
    expect(await sortedNamesOf(bob, `/projects?${query}`)).toEqual(expected)
  })

  test('by the role of the caller do not apply to anonymous users', async () => {
    expect(await sortedNamesOf(server.anonymous, '/projects?owned=true&starred=true&min_access_level=50')).toEqual([
      'open',
    ])
  })

  test('require all topics', async () => {
    await alice.put('/projects/alice%2Fopen', { topics: ['red', 'green'] })
    await alice.put('/projects/alice%2Finside', { topics: ['red'] })
    expect(await sortedNamesOf(alice, '/projects?topic=red')).toEqual(['inside', 'open'])
    expect(await sortedNamesOf(alice, '/projects?topic=red,green')).toEqual(['open'])
    expect(await sortedNamesOf(alice, '/projects?topic[]=red&topic[]=green')).toEqual(['open'])
  })

  test('exclude disabled features and those for members only', async () => {
    await alice.put('/projects/alice%2Fopen', { issues_enabled: false, merge_requests_access_level: 'private' })
    expect(await sortedNamesOf(alice, '/projects?with_issues_enabled=true')).not.toContain('open')
    expect(await sortedNamesOf(alice, '/projects?with_merge_requests_enabled=true')).toContain('open')
    expect(await sortedNamesOf(eve, '/projects?with_merge_requests_enabled=true')).toEqual(['inside'])
    expect(await sortedNamesOf(server.anonymous, '/projects?with_merge_requests_enabled=true')).toEqual([])
    await alice.put('/projects/alice%2Fopen', { issues_enabled: true, merge_requests_access_level: 'enabled' })
  })

  test('find starred, archived, marked and hidden projects', async () => {
    const { id } = (await alice.get('/projects/alice%2Finside')).body
    await eve.post(`/projects/${id}/star`)
    expect(await sortedNamesOf(eve, '/projects?starred=true')).toEqual(['inside'])
    await hands.change(id, { archived: true })
    expect(await sortedNamesOf(eve, '/projects?archived=true')).toEqual(['inside'])
    expect(await sortedNamesOf(eve, '/projects?archived=false')).toEqual(['open'])
    await hands.change(id, { archived: false, marked_for_deletion_on: '2026-01-02' })
    expect(await sortedNamesOf(eve, '/projects?marked_for_deletion_on=2026-01-02')).toEqual(['inside'])
    await hands.change(id, { marked_for_deletion_on: null, pending_delete: true })
    expect(await sortedNamesOf(alice, '/projects')).not.toContain('inside')
    expect(await sortedNamesOf(alice, '/projects?include_pending_delete=true')).not.toContain('inside')
    expect(await sortedNamesOf(server.root, '/projects?include_pending_delete=true')).toEqual(allNames)
    await hands.change(id, { pending_delete: false })
  })

  test('apply to the storage for administrators', async () => {
    expect(await sortedNamesOf(server.root, '/projects?repository_storage=default')).toEqual(allNames)
    expect(await sortedNamesOf(server.root, '/projects?repository_storage=nowhere')).toEqual([])
  })

  test('reject invalid parameters', async () => {
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
