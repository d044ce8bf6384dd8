/** Which projects the lists of groups and users have. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { sortedNamesOf } from './testing.ts'

let server: TestServer
let owner: Person
let member: Person
let stranger: Person

beforeAll(async () => {
  server = await startTestServer()
  const { make } = server
  owner = await server.user('owner')
  member = await server.user('member')
  stranger = await server.user('stranger')
  const top = await make.group('top', owner, { visibility: 'public' })
  const mid = await make.group('mid', owner, { visibility: 'public', parent: top })
  const low = await make.group('low', owner, { visibility: 'public', parent: mid })
  await make.member({ namespace: mid }, member, 30)
  for (const [name, namespace] of Object.entries({ 'in-top': top, 'in-mid': mid, 'in-low': low })) {
    await make.project(name, owner, { namespace })
  }
  const share = async (name: string, group: NamespaceRow, expires_at: string | null = null) => {
    const { id, created_at } = await make.project(name, owner)
    const link = { group_id: group.id, project_id: id, access_level: 20, created_at, expires_at }
    await server.app.platform.database.write((tx) => tx.insertInto('group_links').values(link).execute())
  }
  await share('to-top', top)
  await share('to-mid', mid)
  await share('to-mid-later', mid, '2999-01-01')
  await share('to-mid-before', mid, '2020-01-01')
  await share('to-low', low)
  await share('to-both', mid)
  const both = await server.app.platform.database.read
    .selectFrom('projects')
    .select(['id', 'created_at'])
    .where('name', '=', 'to-both')
    .executeTakeFirstOrThrow()
  const again = { group_id: low.id, project_id: both.id, access_level: 30, created_at: both.created_at }
  await server.app.platform.database.write((tx) => tx.insertInto('group_links').values(again).execute())
  // Groups above and below others, whose projects no list of `mid` has.
  const other = await make.group('other', owner, { visibility: 'public' })
  const beneath = await make.group('beneath', owner, { visibility: 'public', parent: other })
  await make.project('in-other', owner, { namespace: other })
  await make.project('in-beneath', owner, { namespace: beneath })
})
afterAll(() => server.stop())

const shared = ['to-both', 'to-mid', 'to-mid-later']
const lists: [query: string, projects: string[]][] = [
  ['', ['in-mid', ...shared]],
  ['with_shared=true', ['in-mid', ...shared]],
  ['with_shared=false', ['in-mid']],
  ['include_subgroups=true', ['in-low', 'in-mid', 'to-both', 'to-low', 'to-mid', 'to-mid-later']],
  ['include_subgroups=true&with_shared=false', ['in-low', 'in-mid']],
  ['include_ancestor_groups=true', ['in-mid', 'in-top', ...shared]],
  ['include_ancestor_groups=true&with_shared=false', ['in-mid', 'in-top']],
  [
    'include_subgroups=true&include_ancestor_groups=true',
    ['in-low', 'in-mid', 'in-top', 'to-both', 'to-low', 'to-mid', 'to-mid-later'],
  ],
  ['include_subgroups=true&include_ancestor_groups=true&with_shared=false', ['in-low', 'in-mid', 'in-top']],
]
const path = '/groups/top%2Fmid/projects'

test.each(lists)('of a group with ?%s', async (query, projects) => {
  expect(await sortedNamesOf(server.root, `${path}?${query}`)).toEqual(projects)
  expect(await sortedNamesOf(owner, `${path}?${query}`)).toEqual(projects)
  // A role is inherited from above, not from below.
  expect(await sortedNamesOf(member, `${path}?${query}`)).toEqual(projects.filter((name) => name !== 'in-top'))
  for (const client of [stranger, server.anonymous] as Client[]) {
    expect(await sortedNamesOf(client, `${path}?${query}`)).toEqual([])
  }
})

test('that are shared with a group, until the invitation expires', async () => {
  expect(await sortedNamesOf(member, `${path}/shared`)).toEqual(shared)
  expect(await sortedNamesOf(stranger, `${path}/shared`)).toEqual([])
})

test('of a user are those of the own namespace', async () => {
  await server.make.project('of-stranger', stranger)
  expect(await sortedNamesOf(stranger, '/users/stranger/projects')).toEqual(['of-stranger'])
  expect(await sortedNamesOf(member, '/users/stranger/projects')).toEqual([])
  expect(await sortedNamesOf(server.root, '/users/member/projects')).toEqual([])
})

test('while they are being deleted are shown to administrators who ask for them', async () => {
  await server.app.platform.database.write((tx) =>
    tx.updateTable('projects').set({ pending_delete: true }).where('name', '=', 'in-low').execute(),
  )
  const query = 'include_subgroups=true&with_shared=false&include_pending_delete=true'
  expect(await sortedNamesOf(server.root, `${path}?${query}`)).toEqual(['in-low', 'in-mid'])
  expect(await sortedNamesOf(owner, `${path}?${query}`)).toEqual(['in-mid'])
})
