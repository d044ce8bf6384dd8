import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../infra/database/index.ts'
import type { Person, TestServer } from '../../../testing/index.ts'
import { startTestServer } from '../../../testing/index.ts'
import { makeLabel } from '../../labels/testing.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { deleteIssuable } from '../deletion.ts'
import { commonIssue, labelEventsOf, replayed } from '../testing.ts'
import { copyLabels } from './copies.ts'
import { setLabels } from './labels.ts'
import { changedLabels, type LabelChange, type LabelRef, scopeOf } from './scopes.ts'
import { labelsOf } from './store.ts'

let server: TestServer
let database: Database
let owner: Person
let project: ProjectRow
const labels = new Map<string, LabelRef>()
const titles = ['a', 'b', 'B', 'é', 'p::1', 'p::2', 'p::x::1', 'p::x::2', '::odd']
let lastId = 0

const label = (title: string) => labels.get(title) as LabelRef
const all = (...names: string[]) => names.map(label)
const newIssue = () => commonIssue(project, ++lastId, owner.id)
const change = (issue: ReturnType<typeof newIssue>, wish: LabelChange, userId = owner.id) =>
  database.write((tx) => setLabels(tx, issue, wish, { userId, at: '2026-01-01T00:00:00.000Z' }))
const titlesOf = async ({ id }: { id: number }) =>
  ((await labelsOf(database.read, 'Issue', [id])).get(id) ?? []).map(({ title }) => title)
const events = async (issue: ReturnType<typeof newIssue>) =>
  (await labelEventsOf(database.read, issue)).map(({ action, title }) => `${action} ${title}`)

beforeAll(async () => {
  server = await startTestServer()
  ;({ database } = server.app.platform)
  owner = await server.user('owner')
  project = await server.make.project('labelled', owner)
  for (const title of titles) labels.set(title, await makeLabel(server, { project }, title))
})
afterAll(() => server.stop())

describe('the labels of an issuable', () => {
  test('are recorded when they change: first those added, then those removed, by title', async () => {
    const issue = newIssue()
    expect(await change(issue, { add: all('é', 'b', 'B') })).toMatchObject({ removed: [] })
    expect(await titlesOf(issue)).toEqual(['B', 'b', 'é'])
    await change(issue, { replace: all('b', 'a') })
    await change(issue, { replace: all('a', 'b') })
    expect(await events(issue)).toEqual(['add B', 'add b', 'add é', 'add a', 'remove B', 'remove é'])
    await change(issue, { replace: [] })
    expect(await titlesOf(issue)).toEqual([])
  })

  test('are replaced first, then added to, then removed', async () => {
    const issue = newIssue()
    await change(issue, { replace: all('a'), add: all('b'), remove: all('a', 'é') })
    expect(await titlesOf(issue)).toEqual(['b'])
    expect(await events(issue)).toEqual(['add b'])
  })

  test('have one value for each scope', async () => {
    const issue = newIssue()
    await change(issue, { add: all('p::1', 'p::x::1', '::odd') })
    await change(issue, { add: all('p::2') })
    expect(await titlesOf(issue)).toEqual(['::odd', 'p::2', 'p::x::1'])
    expect((await events(issue)).slice(3)).toEqual(['add p::2', 'remove p::1'])
    await change(issue, { replace: all('p::1', 'p::2', 'p::1') })
    expect(await titlesOf(issue)).toEqual(['p::1'])
    expect(['p::1', 'p::x::1', '::odd', 'p::', 'p', 'p:1'].map(scopeOf)).toEqual(['p', 'p::x', null, null, null, null])
  })

  test('keep their events when a label is deleted, without its name', async () => {
    const issue = newIssue()
    const gone = await makeLabel(server, { project }, 'gone')
    await change(issue, { add: [gone, label('a')] })
    await database.write((tx) => tx.deleteFrom('labels').where('id', '=', gone.id).execute())
    expect(await titlesOf(issue)).toEqual(['a'])
    expect(await labelEventsOf(database.read, issue)).toMatchObject([{ title: 'a' }, { label_id: null, title: null }])
  })

  test('go with the issuable', async () => {
    const [issue, other] = [newIssue(), newIssue()]
    for (const one of [issue, other]) await change(one, { add: all('a') })
    await database.write((tx) => deleteIssuable(tx, issue))
    expect([await events(issue), await events(other)]).toEqual([[], ['add a']])
    expect(await titlesOf(issue)).toEqual([])
  })

  test('move to a new issue with their events; labels that it cannot have are dropped by an event', async () => {
    const [issue, moved] = [newIssue(), newIssue()]
    await change(issue, { add: all('a', 'b') })
    await change(issue, { add: all('é'), remove: all('a') })
    const origin = { userId: owner.id, at: '2026-02-02T00:00:00.000Z' }
    const replaced = new Map([[label('b').id, label('B').id]])
    await database.write((tx) => copyLabels(tx, issue, moved, replaced, origin))
    expect(await titlesOf(moved)).toEqual(['B'])
    expect(await events(moved)).toEqual(['add a', 'add B', 'add é', 'remove a', 'remove é'])
    const copied = await labelEventsOf(database.read, moved)
    expect(replayed(copied)).toEqual([label('B').id])
    expect([copied[0]?.created_at, copied[4]?.created_at]).toEqual(['2026-01-01T00:00:00.000Z', origin.at])
  })
})

test('events replay to the labels, however two users change them at once', async () => {
  const some = fc.subarray(titles, { maxLength: 4 })
  const wish = fc.record({ replace: some, add: some, remove: some }, { requiredKeys: [] })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(wish, wish), { minLength: 1, maxLength: 4 }), async (rounds) => {
      const issue = newIssue()
      const ask = (given: Record<string, string[]>) =>
        change(issue, Object.fromEntries(Object.entries(given).map(([name, of]) => [name, all(...of)])))
      for (const [one, other] of rounds) await Promise.all([ask(one), ask(other)])
      const present = (await labelsOf(database.read, 'Issue', [issue.id])).get(issue.id) ?? []
      const recorded = await labelEventsOf(database.read, issue)
      expect(replayed(recorded)).toEqual(present.map(({ id }) => id).sort((a, b) => a - b))
      // No event repeats the state that it finds.
      recorded.forEach((event, index) => {
        expect(replayed(recorded.slice(0, index)).includes(event.label_id ?? 0)).toBe(event.action === 'remove')
      })
      const scopes = present.flatMap(({ title }) => scopeOf(title) ?? [])
      expect(new Set(scopes).size).toBe(scopes.length)
    }),
    { numRuns: 25 },
  )
})

test('a change is the same whatever the order in which labels were stored', () => {
  const some = fc.uniqueArray(fc.integer({ min: 0, max: titles.length - 1 }))
  fc.assert(
    fc.property(some, some, (current, remove) => {
      const refs = (indexes: number[]) => indexes.map((index) => ({ id: index, title: titles[index] as string }))
      const ids = (given: LabelRef[]) => given.map(({ id }) => id).sort()
      const wish = { remove: refs(remove) }
      expect(ids(changedLabels(refs(current), wish))).toEqual(ids(changedLabels(refs(current).reverse(), wish)))
    }),
  )
})
