import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ProjectWithMembers,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { makeSnippet } from '../testing.ts'

let server: TestServer
let people: ProjectWithMembers
/** The path of the snippets of the project. */
let snippets: string

beforeAll(async () => {
  server = await startTestServer()
  people = await projectWithMembers(server, { path: 'talked', visibility: 'public' })
  snippets = `/projects/${people.project.id}/snippets`
})
afterAll(() => server.stop())

const newSnippet = async (visibility = 'public') => {
  const { id } = await makeSnippet(people.reporter, { 'a.txt': 'A' }, { project: people.project.id, visibility })
  return { id, path: `${snippets}/${id}` }
}
const missing = (what: string) => ({ status: 404, body: { message: `404 ${what} Not Found` } })

test('a snippet is commented on, in threads too', async () => {
  const { guest, outsider, reporter, maintainer } = people
  const { id, path } = await newSnippet()
  const note = await outsider.post(`${path}/notes`, { body: '/close\nsaid', internal: true })
  expect(note).toMatchObject({
    status: 201,
    body: {
      ...{ body: '/close\nsaid', noteable_type: 'Snippet', noteable_id: id, noteable_iid: null, internal: false },
      ...{ project_id: people.project.id, resolvable: false, type: null },
    },
  })
  const own = `${path}/notes/${note.body.id}`
  expect((await guest.get(own)).body).toMatchObject({ id: note.body.id })
  expect((await outsider.put(own, { body: 'changed' })).body.body).toBe('changed')
  expect(await reporter.put(own, { body: 'theirs' })).toMatchObject({ status: 403 })
  expect(await reporter.delete(own)).toMatchObject({ status: 403 })
  const thread = await guest.post(`${path}/discussions`, { body: 'why?' })
  expect(thread).toMatchObject({ status: 201, body: { individual_note: false } })
  const at = `${path}/discussions/${thread.body.id}`
  const reply = await reporter.post(`${at}/notes`, { body: 'because' })
  expect((await guest.get(`${at}/notes`)).body.map(({ body }: { body: string }) => body)).toEqual(['why?', 'because'])
  expect((await guest.get(`${at}/notes/${reply.body.id}`)).body).toMatchObject({ body: 'because' })
  expect(await reporter.put(`${at}/notes/${reply.body.id}`, { resolved: true })).toMatchObject({
    status: 400,
    body: { message: '400 Bad request - Note is not resolvable' },
  })
  expect((await guest.get(`${path}/discussions`)).body).toHaveLength(2)
  expect(await maintainer.delete(own)).toMatchObject({ status: 204 })
  expect(await guest.get(own)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
  expect(await guest.get(`${path}/discussions/${'0'.repeat(40)}/notes`)).toMatchObject(missing('Notes'))
  const other = await newSnippet()
  expect(await guest.get(`${other.path}/notes/${reply.body.id}`)).toMatchObject({ status: 404 })
})

test('a snippet and its notes are reacted to', async () => {
  const { guest, outsider } = people
  const { path } = await newSnippet()
  const { body: note } = await guest.post(`${path}/notes`, { body: 'x' })
  const ofNote = `${path}/notes/${note.id}/award_emoji`
  const given = await outsider.post(ofNote, { name: 'tada' })
  expect(given).toMatchObject({ status: 201, body: { awardable_type: 'Note', awardable_id: note.id } })
  const own = await guest.post(`${path}/award_emoji`, { name: 'eyes' })
  expect(own.body).toMatchObject({ awardable_type: 'Snippet', name: 'eyes' })
  expect((await server.anonymous.get(`${path}/award_emoji/${own.body.id}`)).body).toEqual(own.body)
  expect((await server.anonymous.get(ofNote)).body).toEqual([given.body])
  expect((await server.anonymous.get(`${path}/note_award_emoji`)).body).toEqual([given.body])
  expect((await server.anonymous.post(ofNote, { name: 'tada' })).status).toBe(401)
  expect(await outsider.post(ofNote, { name: 'no_emoji' })).toMatchObject({ status: 404 })
  expect((await guest.delete(`${ofNote}/${given.body.id}`)).status).toBe(401)
  expect((await outsider.delete(`${ofNote}/${given.body.id}`)).status).toBe(204)
  expect(await guest.get(`${ofNote}/${given.body.id}`)).toMatchObject(missing('Award Emoji'))
})

test('a snippet that the caller cannot read has no notes for them', async () => {
  const { outsider, guest, owner } = people
  const { path } = await newSnippet('private')
  for (const rest of ['notes', 'discussions']) {
    expect(await outsider.get(`${path}/${rest}`)).toMatchObject(missing('Snippet'))
    expect(await outsider.post(`${path}/${rest}`, { body: 'x' })).toMatchObject(missing('Snippet'))
    expect(await guest.post(`${path}/${rest}`, { body: 'x' })).toMatchObject({ status: 201 })
    expect((await server.anonymous.get(`${path}/${rest}`)).status).toBe(401)
  }
  expect(await outsider.get(`${path}/award_emoji`)).toMatchObject(missing('Award Emoji'))
  expect(await guest.get(`${snippets}/x/notes`)).toMatchObject({
    status: 400,
    body: { error: 'snippet_id is invalid' },
  })
  const personal = await makeSnippet(guest)
  expect(await guest.get(`${snippets}/${personal.id}/notes`)).toMatchObject(missing('Snippet'))
  const { body: closed } = await owner.post('/projects', { name: 'closed', snippets_access_level: 'disabled' })
  expect((await owner.get(`/projects/${closed.id}/snippets/1/notes`)).status).toBe(403)
})

test('comments are events of their authors, and are deleted with the snippet', async () => {
  const { reporter, project } = people
  const { path } = await newSnippet()
  const { body: note } = await reporter.post(`${path}/notes`, { body: 'x' })
  await reporter.post(`${path}/notes/${note.id}/award_emoji`, { name: 'tada' })
  await reporter.post(`${path}/award_emoji`, { name: 'tada' })
  const events = async () => {
    const { body } = await reporter.get(`/projects/${project.id}/events?target_type=note`)
    return body.filter((event: { target_id: number }) => event.target_id === note.id)
  }
  expect(await events()).toMatchObject([{ action_name: 'commented on', target_title: 'Title', target_type: 'Note' }])
  expect((await reporter.delete(path)).status).toBe(204)
  expect(await events()).toEqual([])
  const left = await Promise.all(
    (['notes', 'discussions', 'award_emoji', 'subscriptions'] as const).map((table) =>
      server.app.platform.database.read
        .selectFrom(table)
        .select('noteable_id')
        .where('noteable_id', 'in', [Number(path.split('/').at(-1)), note.id])
        .where('noteable_type', 'in', ['Snippet', 'Note'] as never[])
        .execute(),
    ),
  )
  expect(left.flat()).toEqual([])
})
