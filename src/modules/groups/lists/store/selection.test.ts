/** Which groups a caller sees, asked for sets of groups. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Actor, anonymous } from '../../../../api/index.ts'
import type { Condition, Predicate } from '../../../../infra/database/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../../testing/index.ts'
import { viewerOf } from '../viewer.ts'
import { reachedBy, seenBy } from './access.ts'
import { groupsByIds, isVisibleGroup, isVisibleTo, visibleGroupIds } from './selection.ts'

let server: TestServer
let member: Person
const ids: Record<string, number> = {}
beforeAll(async () => {
  server = await startTestServer()
  const owner = await server.user('owner')
  member = await server.user('member')
  const { make } = server
  const closed = await make.group('closed', owner)
  await make.group('closed-too', owner)
  await make.group('internal', owner, { visibility: 'internal' })
  await make.group('open', owner, { visibility: 'public' })
  const joined = await make.group('joined', owner)
  await make.group('below', owner, { parent: joined })
  const deleted = await make.group('deleted', owner, { visibility: 'public' })
  const withProject = await make.group('with-project', owner)
  const project = await make.project('demo', owner, { namespace: withProject })
  await make.member({ namespace: joined }, member, 20)
  await make.member({ project }, member, 10)
  const { database } = server.app.platform
  await database.write((tx) =>
    tx.updateTable('namespaces').set({ pending_delete: true }).where('id', '=', deleted.id).execute(),
  )
  const rows = await database.read.selectFrom('namespaces').select(['id', 'path']).execute()
  for (const { id, path } of rows) ids[path] = id
  expect(ids.closed).toBe(closed.id)
})
afterAll(() => server.stop())

const read = () => server.app.platform.database.read
const pathsOf = (found: Iterable<number>) =>
  [...found].map((id) => Object.keys(ids).find((path) => ids[path] === id)).toSorted()

const actorOf = (person: { id: number }, more: object = {}): Actor =>
  ({
    ...{ kind: 'user', userId: person.id, username: 'x', administrator: false, external: false, bot: false },
    ...{ hasMemberRoles: true, credential: { kind: 'personal', id: 1, scopes: new Set(['api']) } },
    ...more,
  }) as Actor
const viewer = (actor: Actor) => viewerOf(server.app.platform, actor)

/** The paths of all groups, hidden ones and personal namespaces included, for which a condition holds. */
async function holding(condition: Condition): Promise<unknown[]> {
  const query = sql<{ id: number }>`select namespaces.id from namespaces where ${condition}`
  return pathsOf((await query.execute(read() as never)).rows.map(({ id }) => id))
}

// Groups that only a project below shows are given to lists as further ones.
const groups = ['below', 'closed', 'closed-too', 'internal', 'joined', 'open', 'with-project']

test.each<[string, () => Actor, string[]]>([
  ['an administrator', () => actorOf(member, { administrator: true }), groups],
  ['a member', () => actorOf(member), ['below', 'internal', 'joined', 'open']],
  ['an external user', () => actorOf(member, { external: true }), ['below', 'joined', 'open']],
  ['nobody', () => anonymous, ['open']],
])('%s sees groups', async (_, actorIn, expected) => {
  const seer = await viewer(actorIn())
  const all = Object.values(ids)
  expect(pathsOf(await visibleGroupIds(read(), seer, all))).toEqual(expected)
  expect(await visibleGroupIds(read(), seer, [])).toEqual(new Set())
  const single = await Promise.all(
    all.map(async (id) => ((await holding(isVisibleGroup(read(), seer, sql`${id}`))).length > 0 ? [id] : [])),
  )
  expect(pathsOf(single.flat())).toEqual(expected)
  const isGroup = sql<boolean>`namespaces.kind = 'group' and namespaces.pending_delete = false`
  for (const use of ['counts', 'tests'] as const) {
    expect(await holding(sql<boolean>`${isGroup} and ${isVisibleTo(read(), seer, use)}`)).toEqual(expected)
  }
})

test('groups are found by their ids, unless they are hidden', async () => {
  const wanted = ['closed', 'deleted', 'owner'].map((path) => ids[path] ?? 0)
  const found = await groupsByIds(read(), [...wanted, 4_000_000])
  expect(pathsOf(found.keys())).toEqual(['closed'])
  expect(found.get(ids.closed ?? 0)?.path).toBe('closed')
})

test('lists have what is seen or reached, and further groups', async () => {
  const context = async (actor: Actor) => ({ db: read(), viewer: await viewer(actor) }) as never
  const own = await context(actorOf(member))
  const listed = async (predicates: Predicate[]) => {
    const isGroup = sql<boolean>`namespaces.kind = 'group' and namespaces.pending_delete = false`
    const all = predicates.map(({ holds }) => holding(sql<boolean>`${isGroup} and ${holds}`))
    const many = predicates.map(({ holds, holdsForMany }) =>
      holding(sql<boolean>`${isGroup} and ${holdsForMany ?? holds}`),
    )
    expect(await Promise.all(many)).toEqual(await Promise.all(all))
    return Promise.all(all)
  }
  const seen = ['below', 'internal', 'joined', 'open']
  const other = ids.closed ?? 0
  expect(await listed(seenBy(own))).toEqual([seen])
  expect(await listed(seenBy(own, [other]))).toEqual([['below', 'closed', 'internal', 'joined', 'open']])
  expect(seenBy(await context(actorOf(member, { administrator: true })))).toEqual([])
  expect(await listed([reachedBy(own, 20)])).toEqual([['below', 'joined']])
  expect(await listed([reachedBy(own, 30)])).toEqual([[]])
  expect(await listed([reachedBy(own, 30, [other])])).toEqual([['closed']])
  expect(await listed([reachedBy(own, 20, [other])])).toEqual([['below', 'closed', 'joined']])
})
