import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ManualClock } from '../../../infra/clock/index.ts'
import type { Person, TestServer } from '../../../testing/index.ts'
import { startTalk, type Talk, talkedAbout } from '../testing.ts'

let server: TestServer
let clock: ManualClock
let owner: Person
let maintainer: Person
let developer: Person
let reporter: Person
let guest: Person
let outsider: Person
let demo: Talk['demo']

beforeAll(async () => {
  ;({ server, clock, owner, maintainer, developer, reporter, guest, outsider, demo } = await startTalk())
})
afterAll(() => server.stop())

const path = () => `${demo.at}/discussions`
const start = async (person: Person, body: object = { body: 'Why?' }) => (await person.post(path(), body)).body
const noDiscussion = { status: 404, body: { message: '404 Discussion Not Found' } }
const noNotes = { message: '404 Notes Not Found' }
const forbidden = { status: 403, body: { message: '403 Forbidden' } }

describe('a discussion', () => {
  test('starts with a note', async () => {
    const made = await reporter.post(path(), { body: 'Why?' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      individual_note: false,
      notes: [
        {
          id: expect.any(Number),
          type: 'DiscussionNote',
          body: 'Why?',
          author: expect.objectContaining({ username: 'reporter' }),
          created_at: '2026-03-01T12:00:00.000Z',
          updated_at: '2026-03-01T12:00:00.000Z',
          system: false,
          noteable_id: null,
          noteable_type: 'Commit',
          project_id: demo.project.id,
          commit_id: demo.second,
          resolvable: false,
          confidential: false,
          internal: false,
          imported: false,
          imported_from: 'none',
          noteable_iid: null,
          commands_changes: {},
        },
      ],
    })
    expect(Object.keys(made.body.notes[0]).join()).toBe(
      'id,type,body,author,created_at,updated_at,system,noteable_id,noteable_type,project_id,commit_id,resolvable,' +
        'confidential,internal,imported,imported_from,noteable_iid,commands_changes',
    )
    expect((await reporter.get(`${path()}/${made.body.id}`)).body).toEqual(made.body)
    expect((await reporter.get(path())).body).toContainEqual(made.body)
    expect((await reporter.get(`${demo.commits}/${demo.first}/discussions/${made.body.id}`)).status).toBe(404)
  })

  test('has replies', async () => {
    const { id, notes } = await start(reporter)
    clock.advance(1000)
    const reply = await developer.post(`${path()}/${id}/notes`, { body: 'Because.' })
    expect(reply.status).toBe(201)
    expect(reply.body).toMatchObject({ type: 'DiscussionNote', body: 'Because.', author: { username: 'developer' } })
    const read = (await reporter.get(`${path()}/${id}`)).body
    expect(read.notes).toEqual([notes[0], reply.body])
    expect(await reporter.get(`${path()}/${id}/notes`)).toMatchObject({ status: 200, body: read.notes })
    expect((await reporter.get(`${path()}/${id}/notes/${reply.body.id}`)).body).toEqual(reply.body)
    expect(await developer.post(`${path()}/${id}/notes`, {})).toMatchObject({
      status: 400,
      body: { message: '400 (Bad request) "body" not given', error: 'body is missing' },
    })
    expect((await developer.post(`${path()}/${id}/notes`, { body: ' ' })).body.message).toBe(
      `400 Bad request - Note {:note=>["can't be blank"]}`,
    )
  })

  test('of a single comment becomes a thread with the first reply', async () => {
    await reporter.post(`${demo.commits}/${demo.first}/comments`, { note: 'alone' })
    const list = `${demo.commits}/${demo.first}/discussions`
    const [single] = (await reporter.get(list)).body
    expect([single.individual_note, single.notes[0].type]).toEqual([true, null])
    const replies = await Promise.all(
      ['a', 'b', 'c'].map((body) => developer.post(`${list}/${single.id}/notes`, { body })),
    )
    expect(replies.map(({ status, body }) => [status, body.type])).toEqual(Array(3).fill([201, 'DiscussionNote']))
    const [thread] = (await reporter.get(list)).body
    expect([thread.individual_note, thread.notes.length, thread.notes[0].type]).toEqual([false, 4, 'DiscussionNote'])
  })

  test('is backdated only by owners', async () => {
    const created_at = '2020-01-02T03:04:05.000Z'
    expect((await start(owner, { body: 'x', created_at })).notes[0].created_at).toBe(created_at)
    expect((await start(maintainer, { body: 'x', created_at })).notes[0].created_at).not.toBe(created_at)
    expect((await reporter.get(path())).body[0].notes[0].created_at).toBe(created_at)
    expect((await owner.post(path(), { body: 'x', created_at: '2026-02-30' })).body.error).toBe('created_at is invalid')
  })

  test('that is missing is answered with 404', async () => {
    for (const id of ['0'.repeat(40), 'x', '%27', '..%2Fx']) {
      expect(await reporter.get(`${path()}/${id}`)).toMatchObject(noDiscussion)
      expect(await reporter.get(`${path()}/${id}/notes`)).toMatchObject({ status: 404, body: noNotes })
      expect(await reporter.post(`${path()}/${id}/notes`, { body: 'x' })).toMatchObject(noDiscussion)
      expect(await reporter.get(`${path()}/${id}/notes/1`)).toMatchObject(noDiscussion)
      expect(await reporter.put(`${path()}/${id}/notes/1`, { body: 'x' })).toMatchObject(noDiscussion)
      expect(await reporter.delete(`${path()}/${id}/notes/1`)).toMatchObject(noDiscussion)
    }
    expect(await reporter.get(`${demo.commits}/none/discussions`)).toMatchObject({
      status: 404,
      body: { message: '404 Commit Not Found' },
    })
  })
})

describe('a discussion of a line', () => {
  const shas = () => ({ base_sha: demo.first, start_sha: demo.first, head_sha: demo.second, position_type: 'text' })
  const begin = (position: object) => reporter.post(path(), { body: 'Here', position: { ...shas(), ...position } })

  test('shows its position', async () => {
    const made = await begin({ new_path: 'a.txt', new_line: 7 })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ individual_note: false, notes: [{ type: 'DiffNote' }] })
    const position = { ...shas(), old_path: 'a.txt', new_path: 'a.txt', old_line: null, new_line: 7 }
    expect(made.body.notes[0].position).toEqual(position)
    const reply = await developer.post(`${path()}/${made.body.id}/notes`, { body: 'There' })
    expect(reply.body).toMatchObject({ type: 'DiffNote', position })
    const comments = (await reporter.get(`${demo.at}/comments`)).body
    expect(comments.at(-1)).toMatchObject({ note: 'There', path: 'a.txt', line: 7, line_type: 'new' })
  })

  test('may be on a removed line, an unchanged line, and in a moved file', async () => {
    expect((await begin({ old_path: 'a.txt', old_line: 4 })).body.notes[0].position).toMatchObject({ old_line: 4 })
    const unchanged = await begin({ new_path: 'a.txt', old_path: 'a.txt', old_line: 5, new_line: 4 })
    expect(unchanged.body.notes[0].position).toMatchObject({ old_line: 5, new_line: 4 })
    const moved = await begin({ old_path: 'moved-from.txt', new_path: 'moved-to.txt', new_line: 8 })
    expect(moved.body.notes[0].position).toMatchObject({ old_path: 'moved-from.txt', new_path: 'moved-to.txt' })
  })

  test('may be on the first commit', async () => {
    const zeros = '0'.repeat(40)
    const position = { base_sha: zeros, start_sha: zeros, head_sha: demo.first, position_type: 'text' }
    const body = { body: 'x', position: { ...position, new_path: 'a.txt', new_line: 1 } }
    expect((await reporter.post(`${demo.commits}/${demo.first}/discussions`, body)).status).toBe(201)
  })

  test('requires a line of the diff', async () => {
    const refused = {
      status: 400,
      body: { message: `400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}` },
    }
    for (const place of [
      { new_path: 'a.txt', new_line: 99 },
      { new_path: 'a.txt', new_line: 1 },
      { new_path: 'a.txt', old_line: 1 },
      { new_path: 'a.txt' },
      { new_path: 'none', new_line: 1 },
      { new_path: '../../etc/passwd', new_line: 1 },
      { old_path: 'a.txt', new_path: 'moved-to.txt', new_line: 8 },
      { new_line: 7 },
    ]) {
      expect(await begin(place)).toMatchObject(refused)
    }
  })

  test('requires the commits of the diff', async () => {
    const refused = {
      status: 400,
      body: { message: '400 Bad request - Note {:commit_id=>["does not match the diff refs"]}' },
    }
    const place = { new_path: 'a.txt', new_line: 7 }
    for (const name of ['base_sha', 'start_sha', 'head_sha']) {
      expect(await begin({ ...place, [name]: 'f'.repeat(40) })).toMatchObject(refused)
    }
    expect((await reporter.post(path(), { body: 'x', position: { position_type: 'text' } })).body.error).toBe(
      'position[base_sha] is missing, position[start_sha] is missing, position[head_sha] is missing',
    )
    expect((await begin({ ...place, position_type: 'image' })).body.error).toBe(
      'position[position_type] does not have a valid value',
    )
    expect((await reporter.post(path(), { body: 'x', position: 'here' })).body.error).toBe('position is invalid')
  })
})

describe('a note', () => {
  test('is changed by its author and by maintainers', async () => {
    const { id, notes } = await start(reporter)
    const note = `${path()}/${id}/notes/${notes[0].id}`
    clock.advance(1000)
    const changed = await reporter.put(note, { body: 'How?' })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({ body: 'How?', created_at: notes[0].created_at })
    expect(changed.body.updated_at > notes[0].updated_at).toBe(true)
    expect((await maintainer.put(note, { body: 'When?' })).body).toMatchObject({
      body: 'When?',
      author: { username: 'reporter' },
    })
    expect(await developer.put(note, { body: 'x' })).toMatchObject(forbidden)
    expect(await guest.put(note, { body: 'x' })).toMatchObject(forbidden)
    expect(await outsider.put(note, { body: 'x' })).toMatchObject({ status: 404 })
    expect(await server.anonymous.put(note, { body: 'x' })).toMatchObject({ status: 401 })
    expect((await reporter.put(note, { body: ' ' })).body.error).toBe('body is empty')
    expect((await reporter.put(note, {})).body).toMatchObject({ body: 'When?' })
    expect((await reporter.get(note)).body.body).toBe('When?')
  })

  test('is deleted by its author and by maintainers, with its discussion when it was the last note', async () => {
    const { id, notes } = await start(reporter)
    const reply = (await developer.post(`${path()}/${id}/notes`, { body: 'x' })).body
    const first = `${path()}/${id}/notes/${notes[0].id}`
    const second = `${path()}/${id}/notes/${reply.id}`
    expect(await developer.delete(first)).toMatchObject(forbidden)
    expect(await reporter.delete(second)).toMatchObject(forbidden)
    const stale = { headers: { 'If-Unmodified-Since': 'Mon, 01 Jan 2024 00:00:00 GMT' } }
    expect((await reporter.delete(first, stale)).status).toBe(412)
    expect(await reporter.delete(first)).toMatchObject({ status: 204, body: '' })
    expect(await reporter.delete(first)).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
    expect((await reporter.get(`${path()}/${id}`)).body.notes).toEqual([reply])
    expect((await maintainer.delete(second)).status).toBe(204)
    expect(await reporter.get(`${path()}/${id}`)).toMatchObject(noDiscussion)
  })

  test('is replied to or deleted with its discussion under concurrency', async () => {
    const { id, notes } = await start(reporter)
    const [removed, replied] = await Promise.all([
      reporter.delete(`${path()}/${id}/notes/${notes[0].id}`),
      developer.post(`${path()}/${id}/notes`, { body: 'x' }),
    ])
    expect(removed.status).toBe(204)
    expect([201, 404]).toContain(replied.status)
    const read = await reporter.get(`${path()}/${id}`)
    if (replied.status === 201) expect(read.body.notes).toHaveLength(1)
    else expect(read.status).toBe(404)
  })

  test('is found only in its discussion', async () => {
    const one = await start(reporter)
    const other = await start(reporter)
    const note = one.notes[0].id
    for (const noteId of [note, 999_999_999, '9007199254740993']) {
      const strange = `${path()}/${other.id}/notes/${noteId}`
      for (const answer of [await reporter.get(strange), await reporter.put(strange, { body: 'x' })]) {
        expect(answer).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
      }
      expect((await reporter.delete(strange)).status).toBe(404)
    }
    expect((await reporter.get(`${path()}/${one.id}/notes/x`)).body.error).toBe('note_id is invalid')
    expect((await reporter.get(`${path()}/${one.id}/notes/${note}`)).status).toBe(200)
  })

  test('is unchangeable in an archived project', async () => {
    const old = await talkedAbout(server, owner, 'old', 'public')
    const { id, notes } = (await outsider.post(`${old.at}/discussions`, { body: 'x' })).body
    const note = `${old.at}/discussions/${id}/notes/${notes[0].id}`
    await owner.post(`/projects/${old.project.id}/archive`)
    expect(await outsider.put(note, { body: 'y' })).toMatchObject(forbidden)
    expect(await owner.delete(note)).toMatchObject(forbidden)
    expect((await server.anonymous.get(note)).body.body).toBe('x')
  })
})

describe('when the author is removed', () => {
  test('the notes pass to the ghost user', async () => {
    const leaver = await server.user('leaver')
    await server.make.member({ project: demo.project }, leaver, 20)
    const { id } = await start(leaver)
    await server.root.delete(`/users/${leaver.id}`)
    await server.app.platform.jobs.drain()
    expect((await reporter.get(`${path()}/${id}`)).body.notes[0].author.username).toBe('ghost')
  })

  test('a hard deletion deletes the notes, and discussions without other notes', async () => {
    const leaver = await server.user('leaver-for-good')
    await server.make.member({ project: demo.project }, leaver, 20)
    const alone = await start(leaver)
    const shared = await start(leaver)
    const reply = (await reporter.post(`${path()}/${shared.id}/notes`, { body: 'still here' })).body
    await server.root.delete(`/users/${leaver.id}?hard_delete=true`)
    await server.app.platform.jobs.drain()
    expect(await reporter.get(`${path()}/${alone.id}`)).toMatchObject(noDiscussion)
    expect((await reporter.get(`${path()}/${shared.id}`)).body.notes).toEqual([reply])
  })

  test('the deletion of the project deletes everything', async () => {
    const gone = await talkedAbout(server, owner, 'gone')
    await owner.post(`${gone.at}/comments`, { note: 'x' })
    await server.app.platform.database.write((tx) =>
      tx.deleteFrom('projects').where('id', '=', gone.project.id).execute(),
    )
    const { read } = server.app.platform.database
    expect(await read.selectFrom('notes').select('id').where('project_id', '=', gone.project.id).execute()).toEqual([])
  })
})
