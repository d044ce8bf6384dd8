import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Client,
  git,
  type Person,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../testing/index.ts'
import { queriesOf } from '../../testing/work.ts'
import type { NamespaceRow } from '../namespaces/index.ts'

let server: TestServer
let owner: Person
let guest: Person
let outsider: Person
let folder: Awaited<ReturnType<typeof temporaryDirectory>>

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  guest = await server.user('guest')
  outsider = await server.user('outsider')
  folder = await temporaryDirectory()
  await git(folder.path, 'init', '--quiet')
  await git(folder.path, 'commit', '--quiet', '--allow-empty', '--message', 'first')
})
afterAll(async () => {
  await folder[Symbol.asyncDispose]()
  await server.stop()
})

/** A project of the group with a release on each of these tags, dated by its number. */
async function released(
  path: string,
  namespace: NamespaceRow,
  visibility: 'private' | 'internal' | 'public',
  days: readonly number[],
) {
  const project = await server.make.project(path, owner, { namespace, visibility })
  const address = `${server.url.replace('://', `://x:${owner.token}@`)}/${project.full_path}.git`
  expect(await git(folder.path, 'push', '--quiet', address, 'main')).toMatchObject({ code: 0 })
  for (const day of days) {
    const released_at = `2026-01-${String(day).padStart(2, '0')}`
    const made = { tag_name: `${path}-${day}`, name: `${path}-${day}`, ref: 'main', released_at }
    expect((await owner.post(`/projects/${project.id}/releases`, made)).status).toBe(201)
  }
  return project
}

async function settings(project: { id: number }, changes: object): Promise<void> {
  await server.app.floor.database.write((tx) =>
    tx
      .updateTable('projects')
      .set({ settings: JSON.stringify(changes) })
      .where('id', '=', project.id)
      .execute(),
  )
}

const list = async (group: NamespaceRow, client: Client, query = '') => {
  const answer = await client.get(`/groups/${group.id}/releases?${query}`)
  expect(answer.status).toBe(200)
  return answer.body.map(({ name }: { name: string }) => name)
}

describe('x.group_releases', () => {
  test('gives those of all projects in the group and below, by date', async () => {
    const group = await server.make.group('g', owner, { visibility: 'public' })
    const below = await server.make.group('sub', owner, { parent: group, visibility: 'public' })
    const other = await server.make.group('other', owner, { visibility: 'public' })
    await released('a', group, 'public', [1, 4])
    await released('b', below, 'public', [2, 3])
    await released('c', other, 'public', [5])
    expect(await list(group, owner)).toEqual(['a-4', 'b-3', 'b-2', 'a-1'])
    expect(await list(group, server.anonymous, 'sort=asc')).toEqual(['a-1', 'b-2', 'b-3', 'a-4'])
    expect(await list(below, outsider)).toEqual(['b-3', 'b-2'])
    const page = await owner.get(`/groups/${group.id}/releases?per_page=3&page=2`)
    expect([page.body.map(({ name }: { name: string }) => name), page.headers.get('x-total')]).toEqual([['a-1'], '4'])
    const [whole] = (await owner.get(`/groups/${encodeURIComponent('g/sub')}/releases`)).body
    const alone = await owner.get(`/projects/${encodeURIComponent('g/sub/b')}/releases/b-3`)
    expect({ ...whole, evidences: [] }).toEqual({ ...alone.body, evidences: [] })
    const [simple] = (await owner.get(`/groups/${group.id}/releases?simple=true`)).body
    expect(Object.keys(simple)).toEqual([
      'name',
      'tag_name',
      'description',
      'created_at',
      'released_at',
      'upcoming_release',
    ])
    for (const query of ['sort=x', 'simple=x', 'page=x'])
      expect((await owner.get(`/groups/${group.id}/releases?${query}`)).status).toBe(400)
  })

  test('shows to everybody what they may see, and no more', async () => {
    const group = await server.make.group('mixed', owner, { visibility: 'public' })
    const hidden = await released('hidden', group, 'private', [1])
    await released('inner', group, 'internal', [2])
    await released('open', group, 'public', [3])
    const closed = await released('closed', group, 'public', [4])
    const membersOnly = await released('members', group, 'public', [5])
    const codeless = await released('codeless', group, 'public', [6])
    const leaving = await released('leaving', group, 'public', [7])
    await settings(closed, { releases_access_level: 'disabled' })
    await settings(membersOnly, { releases_access_level: 'private' })
    await settings(codeless, { repository_access_level: 'disabled' })
    await server.app.floor.database.write((tx) =>
      tx.updateTable('projects').set({ pending_delete: true }).where('id', '=', leaving.id).execute(),
    )
    const external = await server.user('external')
    await server.app.floor.database.write((tx) =>
      tx.updateTable('users').set({ external: true }).where('id', '=', external.id).execute(),
    )
    expect(await list(group, owner)).toEqual(['members-5', 'open-3', 'inner-2', 'hidden-1'])
    expect(await list(group, server.root)).toEqual(['members-5', 'open-3', 'inner-2', 'hidden-1'])
    expect(await list(group, outsider)).toEqual(['open-3', 'inner-2'])
    expect(await list(group, external)).toEqual(['open-3'])
    expect(await list(group, server.anonymous)).toEqual(['open-3'])
    await server.make.member({ project: hidden }, guest, 10)
    const answer = await guest.get(`/groups/${group.id}/releases`)
    const [, , last] = answer.body
    expect(answer.body).toHaveLength(3)
    expect(last.name).toMatch(/^Release-\d+$/)
    expect(JSON.stringify(last)).not.toContain('hidden-1')
    const simple = await guest.get(`/groups/${group.id}/releases?simple=true`)
    expect(JSON.stringify(simple.body[2])).not.toContain('hidden-1')
  })

  test('is for those who see the group', async () => {
    const group = await server.make.group('closed-group', owner)
    for (const client of [outsider, server.anonymous])
      expect(await client.get(`/groups/${group.id}/releases`)).toMatchObject({
        status: 404,
        body: { message: '404 Group Not Found' },
      })
    expect(await list(group, owner)).toEqual([])
  })

  test('costs the same number of queries for few projects and for many', async () => {
    const few = await server.make.group('few', owner)
    const many = await server.make.group('many', owner)
    for (let number = 0; number < 2; number += 1) await released(`few${number}`, few, 'private', [1])
    for (let number = 0; number < 12; number += 1) await released(`many${number}`, many, 'private', [1, 2])
    await server.app.floor.jobs.drain()
    const ask = (group: NamespaceRow) => () => owner.get(`/groups/${group.id}/releases?per_page=100`)
    expect((await ask(many)()).body).toHaveLength(24)
    expect(await queriesOf(server, ask(many))).toBe(await queriesOf(server, ask(few)))
  })
})
