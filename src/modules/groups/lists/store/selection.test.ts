import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Actor, allScopes, anonymous } from '../../../../api/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../../testing/index.ts'
import { viewerOf } from '../viewer.ts'
import { groupsByIds, isVisibleGroup, visibleGroupIds } from './selection.ts'

let server: TestServer
let ids: Record<string, number>
let people: Record<string, Person>

beforeAll(async () => {
  server = await startTestServer()
  const { make } = server
  people = { owner: await make.user('owner'), member: await make.user('member'), stranger: await make.user('stranger') }
  const group = (path: string, visibility: 'public' | 'internal' | 'private', parent?: object) =>
    make.group(path, people.owner as Person, { visibility, ...(parent && { parent: parent as never }) })
  const team = await group('team', 'private')
  const hidden = await group('hidden', 'public')
  await make.member({ namespace: team }, people.member as Person, 10)
  const made = {
    ...{ team, hidden, below: await group('below', 'private', team) },
    ...{ open: await group('open', 'public'), inner: await group('inner', 'internal') },
    other: await group('other', 'private'),
  }
  ids = Object.fromEntries(Object.entries(made).map(([name, { id }]) => [name, id]))
  const { database } = server.app.platform
  await database.write((tx) =>
    tx.updateTable('namespaces').set({ pending_delete: true }).where('id', '=', hidden.id).execute(),
  )
  const { id } = await database.read
    .selectFrom('namespaces')
    .select('id')
    .where('path', '=', 'stranger')
    .executeTakeFirstOrThrow()
  // The namespace of a person is no group, and the last one does not exist.
  ids = { ...ids, personal: id, nothing: 9_999_999 }
})
afterAll(() => server.stop())

async function actorOf(name: string): Promise<Actor> {
  if (name === 'anonymous') return anonymous
  const credential = { kind: 'session', id: 1, scopes: new Set<string>(allScopes) }
  const userId = name === 'administrator' ? 1 : (people[name]?.id as number)
  return { kind: 'user', userId, administrator: name === 'administrator', credential } as unknown as Actor
}

const namesOf = (found: Iterable<number>) => {
  const known = new Set(found)
  return Object.keys(ids)
    .filter((name) => known.has(ids[name] as number))
    .sort()
}

describe.each([
  ['anonymous', ['open']],
  ['stranger', ['inner', 'open']],
  ['member', ['below', 'inner', 'open', 'team']],
  ['owner', ['below', 'inner', 'open', 'other', 'team']],
  ['administrator', ['below', 'inner', 'open', 'other', 'team']],
])('to %s', (name, expected) => {
  test('these groups are visible, of a set', async () => {
    const { platform } = server.app
    const viewer = await viewerOf(platform, await actorOf(name))
    const { read } = platform.database
    expect(namesOf(await visibleGroupIds(read, viewer, Object.values(ids)))).toEqual(expected)
    expect(namesOf(await visibleGroupIds(read, viewer, [ids.open as number]))).toEqual(['open'])
    expect(await visibleGroupIds(read, viewer, [])).toEqual(new Set())
  })

  test('and so is each by itself', async () => {
    const { platform } = server.app
    const viewer = await viewerOf(platform, await actorOf(name))
    const found: number[] = []
    for (const id of Object.values(ids)) {
      const seen = isVisibleGroup(platform.database.read, viewer, sql`cast(${id} as integer)`)
      const { rows } = await sql`select 1 as one where ${seen}`.execute(platform.database.read as never)
      if (rows.length > 0) found.push(id)
    }
    expect(namesOf(found)).toEqual(expected)
  })
})

test('groups are found by their ids, visible or not, but for hidden ones and the namespaces of people', async () => {
  const found = await groupsByIds(server.app.platform.database.read, Object.values(ids).slice(1))
  expect(namesOf(found.keys())).toEqual(['below', 'inner', 'open', 'other'])
  expect([...found].every(([id, row]) => row.id === id)).toBe(true)
})
