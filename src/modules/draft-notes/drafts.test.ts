import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { makePlace, openRequest, type Place, textWith } from '../merge-requests/testing.ts'
import { addDrafts } from './testing.ts'

let server: TestServer
let place: Place
let one: string
let opened: { iid: number; id: number; sha: string; diff_refs: Record<string, string> }
beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
  opened = await openRequest(place, 'drafted', { 'a.txt': textWith(4, 'changed'), 'pixel.png': 'not really' })
  one = `${place.at}/${opened.iid}`
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

const position = (line: object) => ({ ...opened.diff_refs, position_type: 'text', new_path: 'a.txt', ...line })
const sha1 = (path: string) => createHash('sha1').update(path).digest('hex')
const noPosition = {
  ...{ base_sha: null, start_sha: null, head_sha: null, old_path: null, new_path: null },
  ...{ position_type: 'text', old_line: null, new_line: null, line_range: null },
}
const unseen = { status: 404, body: { message: '404 Not found' } }

test('only its author sees, changes and deletes a draft', async () => {
  const { developer, reporter, owner } = place
  const [draft] = await addDrafts(developer, one, { note: 'For *me*' })
  expect(draft).toEqual({
    ...{ id: expect.any(Number), author_id: developer.id, merge_request_id: opened.id, resolve_discussion: false },
    ...{ discussion_id: null, note: 'For *me*', commit_id: null, line_code: null, position: noPosition },
  })
  const at = `${one}/draft_notes/${draft.id}`
  expect((await developer.get(`${one}/draft_notes`)).body).toEqual([draft])
  expect((await developer.get(at)).body).toEqual(draft)
  for (const other of [reporter, owner, server.root]) {
    expect((await other.get(`${one}/draft_notes`)).body).toEqual([])
    expect(await other.get(at)).toMatchObject(unseen)
    expect(await other.put(at, { note: 'mine' })).toMatchObject(unseen)
    expect(await other.put(`${at}/publish`)).toMatchObject(unseen)
    expect(await other.delete(at)).toMatchObject(unseen)
    expect((await other.post(`${one}/draft_notes/bulk_publish`)).status).toBe(204)
  }
  expect((await reporter.get(`${one}/notes`)).body).toEqual([])
  expect((await developer.get(one)).body.user_notes_count).toBe(0)
  expect((await developer.put(at, { note: 'Changed' })).body).toEqual({ ...draft, note: 'Changed' })
  expect((await developer.delete(at)).status).toBe(204)
  expect(await developer.delete(at)).toMatchObject(unseen)
})

test('a draft is on a line, on several, on a file or on an image', async () => {
  const { reporter } = place
  const sha = sha1('a.txt')
  const start = { old_line: 4, new_line: 4 }
  const drafts = await addDrafts(
    reporter,
    one,
    { note: 'line', position: position({ new_line: 5 }) },
    { note: 'lines', position: position({ new_line: 5, line_range: { start, end: { new_line: 5 } } }) },
    { note: 'file', position: position({ position_type: 'file', new_path: 'pixel.png' }) },
    {
      note: 'image',
      position: position({ position_type: 'image', new_path: 'pixel.png', x: 1, y: 2, width: 9, height: 9 }),
    },
  )
  expect(
    drafts.map(({ line_code, position: { position_type, new_line, line_range } }) => [
      line_code,
      position_type,
      new_line,
      line_range !== null,
    ]),
  ).toEqual([
    [`${sha}_6_5`, 'text', 5, false],
    [`${sha}_6_5`, 'text', 5, true],
    [null, 'file', null, false],
    [null, 'image', null, false],
  ])
  expect(drafts[1].position.line_range.start).toEqual({ line_code: `${sha}_4_4`, type: null, old_line: 4, new_line: 4 })
  const at = `${one}/draft_notes/${drafts[0].id}`
  const moved = await reporter.put(at, { note: 'removed', position: position({ old_line: 5 }) })
  expect(moved.body).toMatchObject({
    note: 'removed',
    position: { old_line: 5, new_line: null },
    line_code: `${sha}_5_5`,
  })
  expect((await reporter.put(at, { note: 'stays' })).body.position).toEqual(moved.body.position)
  await reporter.post(`${one}/draft_notes/bulk_publish`)
  const { body: published } = await reporter.get(`${one}/discussions`)
  expect(
    published.map(({ notes: [note] }: { notes: { type: string; position: object }[] }) => [note?.type, note?.position]),
  ).toMatchObject([
    ['DiffNote', { position_type: 'text', old_line: 5 }],
    ['DiffNote', { position_type: 'text', new_line: 5, line_range: { start: { old_line: 4 } } }],
    ['DiffNote', { position_type: 'file', new_path: 'pixel.png', new_line: null }],
    ['DiffNote', { position_type: 'image', x: 1, y: 2, width: 9, height: 9 }],
  ])
})

const message = (fields: object) => ({ message: fields })
const error = (text: string) => ({ error: text })

test.each<[string, object, object]>([
  ['no text', {}, error('note is missing')],
  ['a blank text', { note: ' \n' }, message({ note: ["can't be blank"] })],
  [
    'a text that is too long',
    { note: 'x'.repeat(1_000_001) },
    message({ note: ['is too long (maximum is 1000000 characters)'] }),
  ],
  [
    'a position without a commit',
    { note: 'x', position: { ...{ start_sha: 'a', head_sha: 'b' }, position_type: 'text' } },
    error('position[base_sha] is missing'),
  ],
  [
    'another type',
    { note: 'x', position: { base_sha: 'a', start_sha: 'b', head_sha: 'c', position_type: 'video' } },
    error('position[position_type] does not have a valid value'),
  ],
  [
    'commits of no version',
    { note: 'x', position: { base_sha: 'a', start_sha: 'b', head_sha: 'c', position_type: 'text' } },
    message({ line_code: ["can't be blank"] }),
  ],
  ['a position that is no object', { note: 'x', position: 'here' }, error('position is invalid')],
  [
    'an unknown thread',
    { note: 'x', in_reply_to_discussion_id: '0'.repeat(40) },
    message({ discussion: ['Thread to reply to cannot be found'] }),
  ],
  [
    'a commit that is no hash',
    { note: 'x', commit_id: 'c'.repeat(65) },
    error('commit_id is too long (maximum is 64 characters)'),
  ],
])('%s is refused', async (_what, body, expected) => {
  expect(await place.developer.post(`${one}/draft_notes`, body)).toMatchObject({ status: 400, body: expected })
})

test.each([
  ['a line that does not exist', { new_line: 99 }],
  ['a file that does not exist', { position_type: 'file', new_path: 'none' }],
  ['a path that leads out', { position_type: 'file', new_path: '../../etc/passwd' }],
  [
    'a range that ends elsewhere',
    { new_line: 5, line_range: { start: { new_line: 5 }, end: { old_line: 7, new_line: 7 } } },
  ],
])('%s is not in the diff', async (_what, line) => {
  const made = await place.developer.post(`${one}/draft_notes`, { note: 'x', position: position(line) })
  expect(made).toMatchObject({ status: 400, body: message({ line_code: ["can't be blank"] }) })
})

test('a change needs a text', async () => {
  const { developer } = place
  const [draft] = await addDrafts(
    developer,
    one,
    { note: 'a', commit_id: 'undefined' },
    { note: 'b', commit_id: opened.sha },
  )
  expect(draft.commit_id).toBeNull()
  const at = `${one}/draft_notes/${draft.id}`
  const missing = { status: 400, body: { message: '400 Bad request - Missing params to modify' } }
  expect(await developer.put(at, {})).toMatchObject(missing)
  expect(await developer.put(at, { position: position({ new_line: 5 }) })).toMatchObject(missing)
  expect(await developer.put(at, { note: ' ' })).toMatchObject({ status: 400, body: error('note is empty') })
  expect(await developer.put(`${one}/draft_notes/0`, {})).toMatchObject(unseen)
  expect((await developer.get(`${one}/draft_notes/x`)).body).toMatchObject(error('draft_note_id is invalid'))
  const [, other] = (await developer.get(`${one}/draft_notes`)).body
  expect(other.commit_id).toBe(opened.sha)
  for (const { id } of [draft, other]) await developer.delete(`${one}/draft_notes/${id}`)
})

test('a draft answers a thread that its author may read, and resolves it where they may', async () => {
  const { developer, reporter, owner, at } = place
  const { body: thread } = await owner.post(`${one}/discussions`, { body: 'Why?' })
  const reply = { note: 'Because', in_reply_to_discussion_id: thread.id }
  const [draft] = await addDrafts(developer, one, { ...reply, resolve_discussion: true })
  expect(draft).toMatchObject({ discussion_id: thread.id, resolve_discussion: true })
  expect(await reporter.post(`${one}/draft_notes`, { ...reply, resolve_discussion: true })).toMatchObject({
    ...{ status: 400, body: message({ base: ['User is not allowed to resolve thread'] }) },
  })
  const unknown = { status: 400, body: message({ discussion: ['Thread to reply to cannot be found'] }) }
  const { iid } = await openRequest(place, 'another')
  expect(await developer.post(`${at}/${iid}/draft_notes`, reply)).toMatchObject(unknown)
  const { body: internal } = await owner.post(`${one}/discussions`, { body: 'Among us', internal: true })
  const hidden = { note: 'x', in_reply_to_discussion_id: internal.id }
  const { body: guestOfOpen } = await server.root.get(`${one}/discussions/${internal.id}`)
  expect(guestOfOpen.notes[0].internal).toBe(true)
  await server.root.put(place.base, { visibility: 'public' })
  const outsider = await server.user('passerby')
  expect(await outsider.post(`${one}/draft_notes`, hidden)).toMatchObject(unknown)
  await server.root.put(place.base, { visibility: 'private' })
  await developer.delete(`${one}/draft_notes/${draft.id}`)
})

test('a locked discussion takes drafts of members alone', async () => {
  await server.root.put(place.base, { visibility: 'public' })
  const outsider = await server.user('outside')
  const [draft] = await addDrafts(outsider, one, { note: 'early' })
  await place.owner.put(one, { discussion_locked: true })
  const at = `${one}/draft_notes/${draft.id}`
  expect((await outsider.post(`${one}/draft_notes`, { note: 'late' })).status).toBe(403)
  expect((await outsider.put(at, { note: 'late' })).status).toBe(403)
  expect((await outsider.put(`${at}/publish`)).status).toBe(403)
  expect((await outsider.post(`${one}/draft_notes/bulk_publish`)).status).toBe(403)
  expect((await outsider.delete(at)).status).toBe(204)
  expect((await place.reporter.post(`${one}/draft_notes`, { note: 'late' })).status).toBe(201)
  await place.owner.put(one, { discussion_locked: false })
  await server.root.put(place.base, { visibility: 'private' })
  expect((await outsider.get(`${one}/draft_notes`)).status).toBe(404)
})

test('a user has at most 300 drafts on a merge request, also of two that come at once', async () => {
  const { developer } = place
  const { iid, id } = await openRequest(place, 'many')
  const at = `${place.at}/${iid}`
  await addDrafts(developer, at, { note: 'first' })
  const { database } = server.app.platform
  await database.write(async (tx) => {
    const row = await tx
      .selectFrom('draft_notes')
      .selectAll()
      .where('merge_request_id', '=', id)
      .executeTakeFirstOrThrow()
    const { id: _, position: __, ...values } = row
    await tx
      .insertInto('draft_notes')
      .values(Array.from({ length: 298 }, () => values))
      .execute()
  })
  const answers = await Promise.all(['a', 'b', 'c'].map((note) => developer.post(`${at}/draft_notes`, { note })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400])
  expect(answers.find(({ status }) => status === 400)?.body).toEqual({
    message: { base: ['Draft notes exceed the limit of 300 for a merge request'] },
  })
  expect((await place.reporter.post(`${at}/draft_notes`, { note: 'x' })).status).toBe(201)
  expect((await place.owner.delete(at)).status).toBe(204)
  expect(
    await database.read.selectFrom('draft_notes').select('id').where('merge_request_id', '=', id).execute(),
  ).toEqual([])
})

test('notes and drafts share one limit', async () => {
  const person = await server.user('fast')
  await server.make.member({ project: place.project }, person, 30)
  await server.root.put('/application/settings', { notes_create_limit: 2 })
  expect((await person.post(`${one}/notes`, { body: 'a' })).status).toBe(201)
  expect((await person.post(`${one}/draft_notes`, { note: 'b' })).status).toBe(201)
  expect((await person.post(`${one}/draft_notes`, { note: 'c' })).status).toBe(429)
  expect((await person.post(`${one}/draft_notes/bulk_publish`)).status).toBe(204)
  await server.root.put('/application/settings', { notes_create_limit: 300 })
})
