import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Actor, anonymous } from '../../../../api/index.ts'
import type { Database } from '../../../../infra/database/index.ts'
import { freshDatabase } from '../../../../testing/database.ts'
import { noRoles } from '../../../access/index.ts'
import { insertNamespace, type NamespaceQuery } from '../../../namespaces/index.ts'
import type { Viewer } from '../viewer.ts'
import {
  allGroups,
  filtered,
  type GroupOrder,
  groupsAmong,
  groupsByIds,
  groupsMatching,
  inOrder,
  visibleAmong,
} from './selection.ts'

let database: Database & AsyncDisposable
const now = '2026-05-15T10:00:00.000Z'
const ids: Record<string, number> = {}
const db = () => database.read

/** By path: the name; what is hidden, and what is in another storage. */
const made = {
  'z-sim': 'Sim',
  'a-sim': 'Apple sim',
  sim: 'Tree',
  c: 'simple',
  'sim-b': 'Berry',
  other: 'Other',
  hidden: 'Sim hidden',
}

beforeAll(async () => {
  database = await freshDatabase()
  await database.write(async (tx) => {
    const group = { kind: 'group' as const, parent: null, ownerId: null, now }
    for (const [path, name] of Object.entries(made)) {
      const settings = path === 'other' ? { repository_storage: 'fast' } : {}
      const visibility = path === 'sim' ? 'public' : 'private'
      ids[path] = (await insertNamespace(tx, { ...group, name, path, visibility, settings })).id
    }
    await insertNamespace(tx, { ...group, kind: 'user', name: 'Sim user', path: 'sim-user', visibility: 'public' })
    await tx.updateTable('namespaces').set({ pending_delete: true }).where('path', '=', 'hidden').execute()
  })
})
afterAll(() => database[Symbol.asyncDispose]())

const paths = async (query: NamespaceQuery): Promise<string[]> =>
  (await query.select('namespaces.path').execute()).map(({ path }) => path)
const sorted = async (query: NamespaceQuery) => (await paths(query)).sort()

const everything = ['a-sim', 'c', 'other', 'sim', 'sim-b', 'z-sim']
const similar = ['a-sim', 'c', 'sim', 'sim-b', 'z-sim']

describe('the groups that are found', () => {
  test('are no users, and not hidden', async () => {
    expect(await sorted(allGroups(db()))).toEqual(everything)
    expect(await sorted(groupsAmong(db(), sql<boolean>`1 = 1`))).toEqual(everything)
  })

  test.each([
    [undefined, everything],
    ['SIM', similar],
    ['im', similar],
    ['nothing', []],
  ])('by the search %s', async (search, expected) => {
    const { groups, byId } = await groupsMatching(db(), search)
    expect(await sorted(groups)).toEqual(expected)
    expect(await sorted(byId)).toEqual(expected)
  })

  test('by the search are those that match, where the index finds more', async () => {
    // The index finds what has all parts of three characters.
    const id = await database.write(async (tx) => {
      const group = { kind: 'group' as const, parent: null, ownerId: null, visibility: 'private' as const, now }
      return (await insertNamespace(tx, { ...group, name: 'abcd', path: 'bcde' })).id
    })
    expect(await sorted((await groupsMatching(db(), 'abcde')).groups)).toEqual([])
    await database.write((tx) => tx.deleteFrom('namespaces').where('id', '=', id).execute())
  })

  test('by their ids', async () => {
    const { sim = 0, hidden = 0, c = 0 } = ids
    const found = await groupsByIds(db(), [sim, hidden, c, 99_999])
    expect([...found].map(([id, row]) => [id, row.path]).sort()).toEqual(
      [
        [sim, 'sim'],
        [c, 'c'],
      ].sort(),
    )
  })

  test('among others are those that the caller may see', async () => {
    const asked = sql`select id from namespaces where path in ('sim', 'c', 'hidden', 'sim-user')`
    const seen = async (viewer: Viewer, of: RawBuilder<unknown>) => {
      const { rows } = await sql<{ path: string }>`select path from namespaces
        where id in (${visibleAmong(db(), viewer, of)}) order by path`.execute(db() as never)
      return rows.map(({ path }) => path)
    }
    const open = ['public'] as const
    expect(await seen({ actor: anonymous, roles: noRoles, open }, asked)).toEqual(['sim'])
    const administrator = { kind: 'user', userId: 1, administrator: true, credential: {} } as unknown as Actor
    expect(await seen({ actor: administrator, roles: noRoles, open }, asked)).toEqual(['c', 'sim'])
  })
})

describe('the filters', () => {
  const rest = (left: readonly string[]) => everything.filter((path) => !left.includes(path))

  test.each<[Parameters<typeof filtered>[2], string[]]>([
    [{}, everything],
    [{ search: 'SIM' }, similar],
    [{ visibility: 'public' }, ['sim']],
    [{ repository_storage: 'default' }, rest(['other'])],
    [{ repository_storage: 'fast' }, ['other']],
    [{ repository_storage: 'nowhere' }, []],
    [{ skip_groups: [] }, everything],
  ])('%j', async (filter, expected) => expect(await sorted(filtered(db(), allGroups(db()), filter))).toEqual(expected))

  test('leave out groups', async () => {
    const chosen = filtered(db(), allGroups(db()), { skip_groups: [ids.sim ?? 0, ids.c ?? 0] })
    expect(await sorted(chosen)).toEqual(rest(['sim', 'c']))
  })
})

describe('the order', () => {
  test.each<[GroupOrder, string[]]>([
    [{}, ['a-sim', 'sim-b', 'other', 'z-sim', 'sim', 'c']],
    [{ search: 'sim' }, ['a-sim', 'sim-b', 'other', 'z-sim', 'sim', 'c']],
    [{ sort: 'desc' }, ['c', 'sim', 'z-sim', 'other', 'sim-b', 'a-sim']],
    [{ order_by: 'path' }, ['a-sim', 'c', 'other', 'sim', 'sim-b', 'z-sim']],
    [{ order_by: 'path', sort: 'desc' }, ['z-sim', 'sim-b', 'sim', 'other', 'c', 'a-sim']],
    [{ order_by: 'id' }, ['z-sim', 'a-sim', 'sim', 'c', 'sim-b', 'other']],
    [{ order_by: 'similarity' }, ['a-sim', 'sim-b', 'other', 'z-sim', 'sim', 'c']],
    // Equal names or paths first, then what begins with the search, each by name.
    [{ order_by: 'similarity', search: 'SIM' }, ['z-sim', 'sim', 'sim-b', 'c', 'a-sim', 'other']],
  ])('%j', async (order, expected) => expect(await paths(inOrder(order)(allGroups(db())))).toEqual(expected))

  test.each<[GroupOrder, path: string[]]>([
    [{ order_by: 'name', sort: 'desc' }, ['same-c', 'same-b', 'same-a']],
    [{ order_by: 'path', sort: 'desc' }, ['same', 'same', 'same']],
    [{ order_by: 'similarity', search: 'Same' }, ['same-c', 'same-b', 'same-a']],
  ])('%j: ties by id', async (order, ofTwins) => {
    const twins = await database.write(async (tx) => {
      const found: number[] = []
      for (const [index, parentPath] of ['sim', 'c', 'other'].entries()) {
        const parents = tx.selectFrom('namespaces').selectAll().where('path', '=', parentPath)
        const group = { kind: 'group' as const, ownerId: null, visibility: 'private' as const, now }
        const named = { name: 'Same', path: ofTwins[index] ?? '', parent: await parents.executeTakeFirstOrThrow() }
        found.push((await insertNamespace(tx, { ...group, ...named })).id)
      }
      return found
    })
    // Found in the order of their paths.
    const chosen = allGroups(db()).where('namespaces.path', 'in', ofTwins)
    const rows = await inOrder(order)(chosen).selectAll('namespaces').execute()
    expect(rows.map(({ id }) => id)).toEqual(twins)
    await database.write((tx) => tx.deleteFrom('namespaces').where('id', 'in', twins).execute())
  })
})
