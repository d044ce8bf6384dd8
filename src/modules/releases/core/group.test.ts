import { describe, expect, test } from 'vitest'
import { countRows, type TestUse } from '../../../infra/database/index.ts'
import { type Client, git, httpUrl, queriesOf } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { callerOf, isOfProjectBelow, rowsByProject, visibleProjects } from '../../projects/index.ts'
import { actingUser, type UserRow, userById } from '../../users/index.ts'
import { people, serveReleasesForTests, server, setSettings, work } from '../testing.ts'

serveReleasesForTests()

/** Creates a project in the group with a release on each tag, dated by its number. */
async function released(
  path: string,
  namespace: NamespaceRow,
  visibility: 'private' | 'internal' | 'public',
  days: readonly number[],
) {
  const project = await server.make.project(path, people.owner, { namespace, visibility })
  const address = httpUrl(server, people.owner, project.full_path)
  expect(await git(work.folder, 'push', '--quiet', address, 'main')).toMatchObject({ code: 0 })
  for (const day of days) {
    const released_at = `2026-01-${String(day).padStart(2, '0')}`
    const made = { tag_name: `${path}-${day}`, name: `${path}-${day}`, ref: 'main', released_at }
    expect((await people.owner.post(`/projects/${project.id}/releases`, made)).status).toBe(201)
  }
  return project
}

/** How many releases a user sees below a group, when projects find them or are looked up, for counting and for pages. */
async function countsBelow(groupId: number, userId: number): Promise<number[]> {
  const db = server.app.platform.database.read
  const user = await userById(db, userId)
  const caller = await callerOf(db, actingUser(server.app.platform, user as UserRow), '2026-01-01')
  const features = ['releases_access_level', 'repository_access_level'] as const
  const ways = [true, false].flatMap((isFew) => (['counts', 'tests'] as const).map((use) => ({ isFew, use })))
  const isBelow = (column: `${string}.project_id`, use: TestUse, isFew: boolean) =>
    isOfProjectBelow(db, column, groupId, visibleProjects(db, caller, features, use), isFew)
  return Promise.all([
    ...ways.map(({ isFew, use }) =>
      countRows(db.selectFrom('releases').where(isBelow('releases.project_id', use, isFew))),
    ),
    countRows(rowsByProject(db, 'releases').where(isBelow('of.project_id', 'counts', false))),
  ])
}

const list = async (group: NamespaceRow, client: Client, query = '') => {
  const answer = await client.get(`/groups/${group.id}/releases?${query}`)
  expect(answer.status).toBe(200)
  return answer.body.map(({ name }: { name: string }) => name)
}

describe('x.group_releases', () => {
  test('lists the releases of all projects below the group, by date', async () => {
    const group = await server.make.group('g', people.owner, { visibility: 'public' })
    const below = await server.make.group('sub', people.owner, { parent: group, visibility: 'public' })
    const other = await server.make.group('other', people.owner, { visibility: 'public' })
    await released('a', group, 'public', [1, 4])
    await released('b', below, 'public', [2, 3])
    await released('c', other, 'public', [5])
    expect(await list(group, people.owner)).toEqual(['a-4', 'b-3', 'b-2', 'a-1'])
    expect(await list(group, server.anonymous, 'sort=asc')).toEqual(['a-1', 'b-2', 'b-3', 'a-4'])
    expect(await list(below, people.outsider)).toEqual(['b-3', 'b-2'])
    const page = await people.owner.get(`/groups/${group.id}/releases?per_page=3&page=2`)
    expect([page.body.map(({ name }: { name: string }) => name), page.headers.get('x-total')]).toEqual([['a-1'], '4'])
    const [whole] = (await people.owner.get(`/groups/${encodeURIComponent('g/sub')}/releases`)).body
    const alone = await people.owner.get(`/projects/${encodeURIComponent('g/sub/b')}/releases/b-3`)
    expect({ ...whole, evidences: [] }).toEqual({ ...alone.body, evidences: [] })
    const [simple] = (await people.owner.get(`/groups/${group.id}/releases?simple=true`)).body
    expect(Object.keys(simple)).toEqual([
      'name',
      'tag_name',
      'description',
      'created_at',
      'released_at',
      'upcoming_release',
    ])
    for (const query of ['sort=x', 'simple=x', 'page=x'])
      expect((await people.owner.get(`/groups/${group.id}/releases?${query}`)).status).toBe(400)
  })

  test('shows only releases that the caller may see', async () => {
    const group = await server.make.group('mixed', people.owner, { visibility: 'public' })
    const hidden = await released('hidden', group, 'private', [1])
    await released('inner', group, 'internal', [2])
    await released('open', group, 'public', [3])
    const closed = await released('closed', group, 'public', [4])
    const membersOnly = await released('members', group, 'public', [5])
    const codeless = await released('codeless', group, 'public', [6])
    const leaving = await released('leaving', group, 'public', [7])
    await setSettings(closed, { releases_access_level: 'disabled' })
    await setSettings(membersOnly, { releases_access_level: 'private' })
    await setSettings(codeless, { repository_access_level: 'disabled' })
    await server.app.platform.database.write((tx) =>
      tx.updateTable('projects').set({ pending_delete: true }).where('id', '=', leaving.id).execute(),
    )
    const external = await server.user('external')
    await server.app.platform.database.write((tx) =>
      tx.updateTable('users').set({ external: true }).where('id', '=', external.id).execute(),
    )
    expect(await list(group, people.owner)).toEqual(['members-5', 'open-3', 'inner-2', 'hidden-1'])
    expect(await list(group, server.root)).toEqual(['members-5', 'open-3', 'inner-2', 'hidden-1'])
    expect(await list(group, people.outsider)).toEqual(['open-3', 'inner-2'])
    expect(await list(group, external)).toEqual(['open-3'])
    expect(await list(group, server.anonymous)).toEqual(['open-3'])
    await server.make.member({ project: hidden }, people.guest, 10)
    const answer = await people.guest.get(`/groups/${group.id}/releases`)
    const [, , last] = answer.body
    expect(answer.body).toHaveLength(3)
    expect(last.name).toMatch(/^Release-\d+$/)
    expect(JSON.stringify(last)).not.toContain('hidden-1')
    const simple = await people.guest.get(`/groups/${group.id}/releases?simple=true`)
    expect(JSON.stringify(simple.body[2])).not.toContain('hidden-1')
    // Both ways to find them, of groups with few projects and with many, are the same releases.
    const readers = [people.owner, people.outsider, external, people.guest]
    for (const reader of readers) {
      const shown = (await reader.get(`/groups/${group.id}/releases`)).body.length
      expect(await countsBelow(group.id, reader.id)).toEqual(Array.from({ length: 5 }, () => shown))
    }
  })

  test('requires the right to see the group', async () => {
    const group = await server.make.group('closed-group', people.owner)
    for (const client of [people.outsider, server.anonymous])
      expect(await client.get(`/groups/${group.id}/releases`)).toMatchObject({
        status: 404,
        body: { message: '404 Group Not Found' },
      })
    expect(await list(group, people.owner)).toEqual([])
  })

  test('takes a constant number of queries', async () => {
    const few = await server.make.group('few', people.owner)
    const many = await server.make.group('many', people.owner)
    for (let number = 0; number < 2; number += 1) await released(`few${number}`, few, 'private', [1])
    for (let number = 0; number < 12; number += 1) await released(`many${number}`, many, 'private', [1, 2])
    await server.app.platform.jobs.drain()
    const ask = (group: NamespaceRow) => () => people.owner.get(`/groups/${group.id}/releases?per_page=100`)
    expect((await ask(many)()).body).toHaveLength(24)
    expect(await queriesOf(server, ask(many))).toBe(await queriesOf(server, ask(few)))
  })
})
