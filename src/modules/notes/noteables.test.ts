import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Actor, PageRequest } from '../../api/index.ts'
import type { ManualClock } from '../../infra/clock/index.ts'
import type { Database, Tx } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { Person } from '../../testing/index.ts'
import {
  addTodo,
  awardableNote,
  awardEmoji,
  deleteNoteable,
  getAward,
  isSubscribed,
  listAwards,
  listTodos,
  markAllTodosDone,
  markTodoDone,
  markTodosDone,
  type NewTodo,
  type Noteable,
  removeAward,
  subscribe,
  subscribeParticipant,
  subscribersOf,
  unsubscribe,
} from './index.ts'
import { startTalk, type Talk } from './testing.ts'

let talk: Talk
let platform: Platform
let database: Database
let clock: ManualClock
let reporter: Person
let developer: Person
let noteable: Noteable

const page: PageRequest = { kind: 'offset', page: 1, perPage: 20, limit: 20, offset: 0 } as PageRequest
const write = <T>(work: (tx: Tx) => Promise<T>) => database.write(work)
const as = ({ id }: Person): Actor => ({ kind: 'user', userId: id, administrator: false }) as Actor
const commit = (commitId: string): Noteable => ({
  ...{ type: 'Commit', projectId: talk.demo.project.id, id: null, commitId, iid: null },
})
const titles = async (target: Noteable) => (await listAwards(platform, target, page)).items.map(({ name }) => name)

beforeAll(async () => {
  talk = await startTalk()
  platform = talk.server.app.platform
  ;({ database } = platform)
  ;({ clock, reporter, developer } = talk)
  noteable = commit(talk.demo.second)
})
afterAll(() => talk.server.stop())

describe('award emoji', () => {
  test('belong to one noteable, and are shown with their user', async () => {
    const award = await awardEmoji(platform, noteable, as(reporter), 'tada')
    expect(award).toEqual({
      id: expect.any(Number),
      name: 'tada',
      user: expect.objectContaining({ id: reporter.id, username: 'reporter' }),
      created_at: clock.now().toISOString(),
      updated_at: clock.now().toISOString(),
      awardable_id: null,
      awardable_type: 'Commit',
      url: null,
    })
    expect(await getAward(platform, noteable, award.id)).toEqual(award)
    expect(await titles(noteable)).toEqual(['tada'])
    expect(await titles(commit(talk.demo.first))).toEqual([])
    await expect(getAward(platform, commit(talk.demo.first), award.id)).rejects.toMatchObject({ status: 404 })
  })

  test('have short names and aliases; other names are unknown', async () => {
    for (const name of ['thumbsup', 'star', 'heart', 'rocket', 'eyes', 'smile', 'blowfish', '100']) {
      expect((await awardEmoji(platform, noteable, as(developer), name)).name).toBe(name)
    }
    expect((await awardEmoji(platform, noteable, as(developer), '-1')).name).toBe('thumbsdown')
    for (const name of ['', ':tada:', 'Tada', 'toString', 'nothing_like_it']) {
      await expect(awardEmoji(platform, noteable, as(reporter), name)).rejects.toMatchObject({
        status: 404,
        body: { message: '404 Award Emoji Name is not a valid emoji name Not Found' },
      })
    }
  })

  test('are given once per user and name, also by parallel requests', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 4 }, () => awardEmoji(platform, noteable, as(reporter), '+1')),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(awardEmoji(platform, noteable, as(reporter), 'thumbsup')).rejects.toMatchObject({
      status: 404,
      body: { message: '404 Award Emoji Name has already been taken Not Found' },
    })
  })

  test('are removed by their user and by administrators', async () => {
    const { id } = await awardEmoji(platform, noteable, as(reporter), 'fire')
    await expect(removeAward(platform, noteable, as(developer), id)).rejects.toMatchObject({ status: 401 })
    await removeAward(platform, noteable, as(reporter), id)
    await expect(removeAward(platform, noteable, as(reporter), id)).rejects.toMatchObject({ status: 404 })
    const other = await awardEmoji(platform, noteable, as(reporter), 'fire')
    await removeAward(platform, noteable, { ...as(developer), administrator: true } as Actor, other.id)
  })

  test('of a note are deleted with the note', async () => {
    const made = await reporter.post(`${talk.demo.at}/discussions`, { body: 'to be deleted' })
    const [note] = made.body.notes
    const target = awardableNote({ id: note.id, project_id: note.project_id, group_id: null })
    const award = await awardEmoji(platform, target, as(developer), 'eyes')
    expect(award).toMatchObject({ awardable_type: 'Note', awardable_id: note.id })
    await reporter.delete(`${talk.demo.at}/discussions/${made.body.id}/notes/${note.id}`)
    expect((await listAwards(platform, target, page)).items).toEqual([])
  })
})

describe('subscriptions', () => {
  test('change once, and say whether they did', async () => {
    const target = commit(talk.demo.first)
    expect(await isSubscribed(database.read, target, reporter.id)).toBe(false)
    expect(await write((tx) => unsubscribe(platform, tx, target, reporter.id))).toBe(false)
    expect(await write((tx) => subscribe(platform, tx, target, reporter.id))).toBe(true)
    expect(await write((tx) => subscribe(platform, tx, target, reporter.id))).toBe(false)
    expect(await subscribersOf(database.read, target)).toEqual([reporter.id])
    expect(await isSubscribed(database.read, commit('f'.repeat(40)), reporter.id)).toBe(false)
    expect(await write((tx) => unsubscribe(platform, tx, target, reporter.id))).toBe(true)
    expect(await subscribersOf(database.read, target)).toEqual([])
  })

  test('begin with a note, and taking part does not undo an unsubscription', async () => {
    const path = `${talk.demo.at}/discussions`
    await developer.post(path, { body: 'first' })
    expect(await isSubscribed(database.read, noteable, developer.id)).toBe(true)
    await write((tx) => unsubscribe(platform, tx, noteable, developer.id))
    await developer.post(path, { body: 'second' })
    const at = clock.now().toISOString()
    await write((tx) => subscribeParticipant(tx, noteable, developer.id, at))
    expect(await isSubscribed(database.read, noteable, developer.id)).toBe(false)
  })
})

describe('to-dos', () => {
  const todoFor = (person: Person, action: NewTodo['action'] = 'marked'): NewTodo => ({
    userId: person.id,
    authorId: reporter.id,
    action,
  })
  const add = (target: Noteable, todo: NewTodo) => write((tx) => addTodo(platform, tx, target, todo))
  const listed = async (person: Person, filter = {}) =>
    (await listTodos(platform, person.id, filter, page)).items.map(({ commit_id, action }) => [commit_id, action])

  test('are pending once per user and noteable, also for parallel requests', async () => {
    const made = await Promise.all(Array.from({ length: 4 }, () => add(noteable, todoFor(developer))))
    expect(made.filter((todo) => todo !== null)).toHaveLength(1)
    expect(await add(noteable, todoFor(developer, 'mentioned'))).toBeNull()
    expect(await add(noteable, todoFor(reporter))).toMatchObject({ state: 'pending', action: 'marked' })
    expect(await add(commit(talk.demo.first), todoFor(developer, 'mentioned'))).toMatchObject({ action: 'mentioned' })
    expect(await listed(developer)).toEqual([
      [talk.demo.first, 'mentioned'],
      [talk.demo.second, 'marked'],
    ])
    expect(await listed(developer, { action: 'marked' })).toEqual([[talk.demo.second, 'marked']])
    expect(await listed(developer, { type: 'Issue' })).toEqual([])
    expect(await listed(developer, { project_id: talk.demo.project.id, author_id: developer.id })).toEqual([])
  })

  test('are done by noteable, one by one, or all at once', async () => {
    await write((tx) => markTodosDone(platform, tx, noteable, developer.id))
    expect(await listed(developer)).toEqual([[talk.demo.first, 'mentioned']])
    expect(await listed(developer, { state: 'done' })).toEqual([[talk.demo.second, 'marked']])
    const again = await add(noteable, todoFor(developer, 'assigned'))
    expect(again).not.toBeNull()
    await expect(markTodoDone(platform, reporter.id, again?.id ?? 0)).rejects.toMatchObject({ status: 404 })
    expect(await markTodoDone(platform, developer.id, again?.id ?? 0)).toMatchObject({ state: 'done' })
    await markAllTodosDone(platform, developer.id)
    expect(await listed(developer)).toEqual([])
    expect(await listed(reporter)).toHaveLength(1)
  })
})

test('notes, awards, subscriptions and to-dos are deleted with their noteable', async () => {
  const target = commit(talk.demo.first)
  const made = await reporter.post(`${talk.demo.commits}/${talk.demo.first}/discussions`, { body: 'x' })
  const note = awardableNote(made.body.notes[0])
  await awardEmoji(platform, note, as(reporter), 'tada')
  await awardEmoji(platform, target, as(reporter), 'tada')
  await write((tx) => addTodo(platform, tx, target, { userId: reporter.id, authorId: reporter.id, action: 'marked' }))
  await write((tx) => deleteNoteable(tx, target))
  expect((await reporter.get(`${talk.demo.commits}/${talk.demo.first}/discussions`)).body).toEqual([])
  expect([...(await titles(target)), ...(await titles(note as Noteable))]).toEqual([])
  expect(await subscribersOf(database.read, target)).toEqual([])
  expect((await listTodos(platform, reporter.id, {}, page)).items.map(({ commit_id }) => commit_id)).toEqual([
    talk.demo.second,
  ])
})
