/** Whose entries count: of users with a role in the project or group, and of groups that belong to it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { type NamespaceRow, namespaceOfUser } from '../../namespaces/index.ts'
import type { ProjectOrGroupRef, ProjectRow } from '../../projects/index.ts'
import { asTheyCount, countingIn } from './counting.ts'
import { groupsOf, levelsIn, membersOfGroups } from './store.ts'

const entry = { access_level: null, user_id: null, group_id: null, protected_environment_id: 1 }
const of = (id: number, named: object, inherits = 0) => ({
  ...{ ...entry, id, group_inheritance_type: inherits, required_approvals: 2, ...named },
})

test('entries that do not count are none for those who deploy, and those of maintainers for those who approve', () => {
  const entries = [of(1, { user_id: 5 }), of(2, { group_id: 6 }, 1), of(3, { access_level: 30 })]
  const counted = asTheyCount({ deploy: entries, approval: entries }, ({ group_id }) => group_id === null)
  expect(counted).toEqual({
    deploy: [entries[0], entries[2]],
    approval: [entries[0], of(2, { access_level: 40 }), entries[2]],
  })
})

const today = '2026-03-01'
const yesterday = '2026-02-28'

let server: TestServer
let owner: Person
let top: NamespaceRow
let middle: NamespaceRow
let below: NamespaceRow
let other: NamespaceRow
let project: ProjectRow
const read = () => server.app.platform.database.read

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  top = await server.make.group('top', owner)
  middle = await server.make.group('middle', owner, { parent: top })
  below = await server.make.group('below', owner, { parent: middle })
  other = await server.make.group('other', owner)
  project = await server.make.project('p', owner, { namespace: middle })
})
afterAll(() => server.stop())

const refOf = ({ id }: NamespaceRow): ProjectOrGroupRef => ({ kind: 'group', id, namespaceId: id })
const ofProject = (): ProjectOrGroupRef => ({ kind: 'project', id: project.id, namespaceId: middle.id })

describe('the level of a user', () => {
  test('is that of a role which counts', async () => {
    const people: Record<string, Person> = {}
    for (const name of ['guest', 'minimal', 'developer', 'removed', 'stranger']) people[name] = await server.user(name)
    for (const [name, level] of [
      ['guest', 10],
      ['minimal', 5],
      ['developer', 30],
      ['removed', 30],
    ] as const) {
      await server.make.member({ namespace: top }, people[name] as Person, level)
    }
    const ids = Object.values(people).map(({ id }) => id)
    const { database } = server.app.platform
    const removed_at = `${today}T00:00:00.000Z`
    await database.write((tx) =>
      tx
        .updateTable('users')
        .set({ removed_at })
        .where('id', '=', people.removed?.id ?? 0)
        .execute(),
    )
    const levels = new Map([
      [people.guest?.id, 10],
      [people.developer?.id, 30],
    ])
    for (const ref of [ofProject(), refOf(top), refOf(below)]) {
      expect(await levelsIn(read(), ref, ids, today)).toEqual(levels)
    }
    expect(await levelsIn(read(), refOf(other), ids, today)).toEqual(new Map())
    expect(await levelsIn(read(), refOf(top), [], today)).toEqual(new Map())
    expect((await levelsIn(read(), refOf(top), ids.slice(0, 1), today)).size).toBe(1)
  })
})

/** Invites a group of its own. @param expires_at the first day on which the invitation is over */
async function invited(path: string, place: { project_id: number } | { namespace_id: number }, expires_at?: string) {
  const { id } = await server.make.group(path, owner)
  const link = { group_id: id, access_level: 30, expires_at: expires_at ?? null, created_at: `${today}T00:00:00.000Z` }
  const { database } = server.app.platform
  await database.write((tx) =>
    tx
      .insertInto('group_links')
      .values({ ...link, ...place })
      .execute(),
  )
  return id
}

describe('a group belongs', () => {
  test('to what is below it, to itself, and to a group above it', async () => {
    const all = [top, middle, below, other].map(({ id }) => id)
    const found = async (owner: ProjectOrGroupRef) => {
      const those = await groupsOf(read(), owner, all, today)
      return all.map((id) => those.has(id))
    }
    expect(await found(ofProject())).toEqual([true, true, false, false])
    expect(await found(refOf(middle))).toEqual([true, true, true, false])
    expect(await found(refOf(other))).toEqual([false, false, false, true])
    expect([...(await groupsOf(read(), refOf(middle), [below.id], today))]).toEqual([below.id])
    expect([...(await groupsOf(read(), refOf(middle), [], today))]).toEqual([])
    // The numbers of projects are those of groups as well.
    expect(await found({ kind: 'project', id: middle.id, namespaceId: top.id })).toEqual([true, false, false, false])
  })

  test('to where it is invited, and to what is below that, until the invitation is over', async () => {
    const ids = [
      await invited('to-project', { project_id: project.id }),
      await invited('to-top', { namespace_id: top.id }),
      await invited('to-below', { namespace_id: below.id }),
      await invited('until-tomorrow', { project_id: project.id }, '2026-03-02'),
      await invited('over', { project_id: project.id }, today),
      await invited('long-over', { namespace_id: top.id }, yesterday),
    ]
    const found = async (owner: ProjectOrGroupRef) => {
      const those = await groupsOf(read(), owner, ids, today)
      return ids.map((id) => those.has(id))
    }
    expect(await found(ofProject())).toEqual([true, true, false, true, false, false])
    expect(await found(refOf(middle))).toEqual([false, true, false, false, false, false])
    expect(await found(refOf(below))).toEqual([false, true, true, false, false, false])
    // The numbers of groups are those of projects as well.
    expect(await found({ kind: 'group', id: project.id, namespaceId: other.id })).toEqual(Array(6).fill(false))
  })

  test('unless it is to be deleted, or is the namespace of a user', async () => {
    const id = await invited('leaving', { project_id: project.id })
    expect([...(await groupsOf(read(), ofProject(), [id], today))]).toEqual([id])
    const { database } = server.app.platform
    await database.write((tx) =>
      tx.updateTable('namespaces').set({ pending_delete: true }).where('id', '=', id).execute(),
    )
    expect([...(await groupsOf(read(), ofProject(), [id], today))]).toEqual([])
    const own = (await namespaceOfUser(read(), owner.id))?.id ?? 0
    expect([...(await groupsOf(read(), { kind: 'project', id: 0, namespaceId: own }, [own], today))]).toEqual([])
  })
})

test('a member of a group is one of it directly, or by a group above', async () => {
  const [direct, above, both, ended] = [
    await server.user('direct'),
    await server.user('above'),
    await server.user('both'),
    await server.user('ended'),
  ]
  for (const person of [direct, both, ended]) await server.make.member({ namespace: below }, person, 10)
  for (const person of [above, both]) await server.make.member({ namespace: top }, person, 30)
  const { database } = server.app.platform
  await database.write((tx) =>
    tx.updateTable('members').set({ expires_at: today }).where('user_id', '=', ended.id).execute(),
  )
  const ids = [direct, above, both, ended].map(({ id }) => id)
  const found = async (groups: number[], users: number[]) =>
    (await membersOfGroups(read(), groups, users, today)).toSorted((one, two) => one.userId - two.userId)
  expect(await found([below.id], ids)).toEqual([
    { groupId: below.id, userId: direct.id, isDirect: true },
    { groupId: below.id, userId: above.id, isDirect: false },
    { groupId: below.id, userId: both.id, isDirect: true },
  ])
  expect(await found([below.id], [above.id])).toEqual([{ groupId: below.id, userId: above.id, isDirect: false }])
  expect(await found([other.id], ids)).toEqual([])
  expect(await found([], ids)).toEqual([])
  expect(await found([below.id], [])).toEqual([])
})

test('an entry counts as whom it names does; a role always does', async () => {
  const [member, stranger] = [await server.user('member'), await server.user('nobody')]
  await server.make.member({ project }, member, 10)
  const grantee = (named: object) => ({ ...{ access_level: null, user_id: null, group_id: null }, ...named })
  const grantees = [
    grantee({ access_level: 60 }),
    grantee({ user_id: member.id }),
    grantee({ user_id: stranger.id }),
    grantee({ group_id: top.id }),
    grantee({ group_id: other.id }),
  ]
  const counts = await countingIn(read(), ofProject(), grantees, today)
  expect(grantees.map(counts)).toEqual([true, true, false, true, false])
})
