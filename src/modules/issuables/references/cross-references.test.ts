import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Actor, PageRequest } from '../../../api/index.ts'
import type { Database, Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { createNote, listNotes, type NoteAccess, type PresentedNote } from '../../notes/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { noteAccess } from '../conversation/access.ts'
import { deleteIssuable } from '../deletion.ts'
import type { Issuable } from '../issuable.ts'
import { listParticipants } from '../participation/participation.ts'
import { commonIssue, kindOf } from '../testing.ts'
import { listOwnTodos } from '../todos/todos.ts'
import { followDescription, recordReferences } from './cross-references.ts'
import { referencedBy, referencesTo } from './store.ts'

let server: TestServer
let database: Database
let platform: Platform
let author: Person
let friend: Person
let stranger: Person
let project: ProjectRow
let other: ProjectRow
const issues = new Map<number, Issuable>()
/** Users who may not read an issue, by its id. */
const closedTo = new Map<number, number[]>()

const page: PageRequest = { kind: 'offset', page: 1, perPage: 100, limit: 100, offset: 0 }
const origin = () => ({ userId: author.id, at: '2026-01-01T00:00:00.000Z' })
const write = <T>(work: (tx: Tx) => Promise<T>) => database.write(work)
const actorOf = ({ id }: Person) => ({ kind: 'user', userId: id, administrator: false, credential: {} }) as Actor
const access = (issue: Issuable, person: Person, level = 10) => noteAccess(platform, issue, actorOf(person), { level })
const writeNote = async (to: NoteAccess, given: { body: string; internal?: boolean }) =>
  (await createNote(platform, to, given)).note as PresentedNote
const bodies = async (issue: Issuable, person = author, level = 50) =>
  (await listNotes(platform, access(issue, person, level), { sort: 'asc' }, page)).items.map(({ body }) => body)
const todosOf = async (person: Person) =>
  (await listOwnTodos(platform, actorOf(person) as never, {}, page)).items.map(({ target, action_name: why }) => [
    (target as Issuable).id,
    why,
  ])

function add(id: number, fields: Partial<Issuable> = {}, of = project): Issuable {
  const issue = { ...commonIssue(of, id, author.id), ...fields }
  issues.set(id, issue)
  return issue
}
const describeAs = (issue: Issuable, description: string) =>
  write((tx) => followDescription(platform, tx, { ...issue, description }, origin()))

beforeAll(async () => {
  server = await startTestServer()
  ;({ database } = server.app.platform)
  author = await server.user('author')
  friend = await server.user('friend')
  stranger = await server.user('stranger')
  project = await server.make.project('one', author)
  other = await server.make.project('two', author)
  const mayRead = (issue: Issuable, userId: number, internal: boolean) =>
    !(closedTo.get(issue.id) ?? []).includes(userId) && !(internal && userId !== author.id)
  const kind = kindOf(issues, mayRead)
  platform = {
    ...server.app.platform,
    ports: { ...server.app.platform.ports, 'issuables.kinds': () => ({ Issue: kind }) },
  }
})
afterAll(() => server.stop())

describe('a mention of an issuable', () => {
  test('writes a system note on it, once per source', async () => {
    const [source, target, far] = [add(1), add(2), add(3, {}, other)]
    await describeAs(source, 'See #2, #2 again, #1, #99 and author/two#3.')
    await describeAs(source, 'See #2')
    expect(await bodies(target)).toEqual(['mentioned in issue #1'])
    expect(await bodies(far)).toEqual(['mentioned in issue author/one#1'])
    expect(await bodies(source)).toEqual([])
    expect(await referencedBy(database.read, source, 'Issue')).toEqual([2, 3])
    expect(await referencesTo(database.read, target, 'Issue')).toEqual([1])
  })

  test('in a note is one of its issuable; in an internal note, it is none', async () => {
    const [source, target] = [add(11), add(12)]
    await writeNote(access(source, author, 50), { body: 'not #12', internal: true })
    expect(await bodies(target)).toEqual([])
    await writeNote(access(source, author), { body: 'as in #12' })
    await writeNote(access(source, author), { body: 'as in #12' })
    expect(await bodies(target)).toEqual(['mentioned in issue #11'])
  })

  test('in a commit names the commit', async () => {
    const target = add(21)
    const commit = { type: 'Commit' as const, projectId: other.id, sha: 'a'.repeat(40) }
    for (const text of ['Fix author/one#21', 'Fix author/one#21 again']) {
      await write((tx) => recordReferences(platform, tx, commit, text, origin()))
    }
    expect(await bodies(target)).toEqual([`mentioned in commit author/two@${'a'.repeat(40)}`])
    // The commit's project is private.
    expect(await bodies(target, stranger)).toEqual([])
  })

  test('needs an author who may read the target, and is shown to those who may read the source', async () => {
    const [source, target, secret] = [add(31), add(32), add(33)]
    closedTo.set(33, [author.id])
    closedTo.set(31, [stranger.id])
    await describeAs(source, '#32 #33')
    expect(await bodies(secret)).toEqual([])
    expect(await bodies(target)).toEqual(['mentioned in issue #31'])
    expect(await bodies(target, stranger)).toEqual([])
  })

  test('goes with its source', async () => {
    const [source, target] = [add(41), add(42)]
    await describeAs(source, '#42')
    await write((tx) => deleteIssuable(tx, source))
    expect(await bodies(target)).toEqual([])
    expect(await referencesTo(database.read, target, 'Issue')).toEqual([])
  })
})

describe('a mention of a user', () => {
  test('gives a to-do to readers once, not to the author', async () => {
    const issue = add(51)
    closedTo.set(51, [stranger.id])
    await describeAs(issue, 'cc @friend @author @stranger @nobody-at-all')
    await describeAs(issue, 'cc @FRIEND')
    expect([await todosOf(friend), await todosOf(author), await todosOf(stranger)]).toEqual([
      [[51, 'mentioned']],
      [],
      [],
    ])
  })

  test('in a note does as well; in an internal note only to those who may read it', async () => {
    const issue = add(61)
    await writeNote(access(issue, author, 50), { body: '@stranger', internal: true })
    expect(await todosOf(stranger)).toEqual([])
    await writeNote(access(issue, author), { body: '@stranger `@friend`' })
    expect(await todosOf(stranger)).toEqual([[61, 'mentioned']])
  })

  test('makes a participant of those who may read the issuable', async () => {
    const issue = add(71)
    const names = async (person: Person, level: number) =>
      (await listParticipants(platform, issue, access(issue, person, level), page)).items.map(
        ({ username }) => username,
      )
    closedTo.set(71, [stranger.id])
    await describeAs(issue, '@stranger')
    await writeNote(access(issue, author, 50), { body: '@friend', internal: true })
    expect([await names(author, 50), await names(friend, 10)]).toEqual([['author', 'friend'], ['author']])
    await writeNote(access(issue, friend), { body: 'hello' })
    expect(await names(friend, 10)).toEqual(['author', 'friend'])
  })
})

test('a note that is changed is followed again', async () => {
  const [issue, target] = [add(81), add(82)]
  const note = await writeNote(access(issue, author), { body: 'nothing' })
  await write(async (tx) => {
    await tx.updateTable('notes').set({ body: '#82 @friend' }).where('id', '=', note.id).execute()
    const event = {
      noteId: note.id,
      projectId: null,
      type: 'Issue' as const,
      noteableId: 81,
      userId: author.id,
      at: origin().at,
    }
    await react(platform, tx, 'note.changed', event)
  })
  expect(await bodies(target)).toEqual(['mentioned in issue #81'])
  expect((await todosOf(friend)).at(0)).toEqual([81, 'mentioned'])
})
