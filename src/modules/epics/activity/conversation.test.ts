import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'

let server: TestServer
let owner: Person
let planner: Person
let guest: Person
let stranger: Person
let epics: string

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('owner')
  planner = await server.user('planner')
  guest = await server.user('guest')
  stranger = await server.user('stranger')
  const group = await server.make.group('team', owner)
  await server.make.member({ namespace: group }, planner, 15)
  await server.make.member({ namespace: group }, guest, 10)
  epics = `/groups/${group.id}/epics`
  // Ids and iids differ.
  await owner.post(`/groups/${(await server.make.group('other', owner)).id}/epics`, { title: 'other' })
})
afterAll(() => server.stop())

/** Makes an epic. @returns its paths: by its id, which comments have, and by its iid, which reactions have */
async function newEpic(given: object = {}) {
  const { body } = await owner.post(epics, { title: 'E', ...given })
  return { id: body.id, path: `${epics}/${body.id}`, own: `${epics}/${body.iid}` }
}

test('an epic is commented on by its id, in threads too', async () => {
  const { id, path } = await newEpic()
  const note = await guest.post(`${path}/notes`, { body: 'said', internal: true })
  expect(note).toMatchObject({
    status: 201,
    body: { noteable_type: 'Epic', noteable_id: id, noteable_iid: null, project_id: null, internal: false },
  })
  const internal = await planner.post(`${path}/notes`, { body: 'hidden', internal: true })
  expect(internal.body.internal).toBe(true)
  expect(await guest.get(`${path}/notes/${internal.body.id}`)).toMatchObject({
    status: 404,
    body: { message: '404 Note Not Found' },
  })
  expect((await guest.get(`${path}/notes?activity_filter=only_comments`)).body).toHaveLength(1)
  const thread = await planner.post(`${path}/discussions`, { body: 'why?' })
  const at = `${path}/discussions/${thread.body.id}/notes`
  const reply = await guest.post(at, { body: 'because' })
  expect((await guest.get(at)).body).toHaveLength(2)
  expect((await guest.put(`${at}/${reply.body.id}`, { body: 'so' })).body.body).toBe('so')
  expect((await guest.put(`${at}/${reply.body.id}`, { resolved: true })).body).toEqual({
    message: '400 Bad request - Note is not resolvable',
  })
  expect((await planner.put(`${path}/notes/${note.body.id}`, { body: 'x' })).status).toBe(403)
  expect((await owner.delete(`${path}/notes/${note.body.id}`)).status).toBe(204)
  expect((await guest.delete(`${at}/${reply.body.id}`)).status).toBe(204)
})

test('quick actions are run for those who plan', async () => {
  const { path, own } = await newEpic()
  const done = await planner.post(`${path}/notes`, { body: '/title New\n/close' })
  expect(done).toMatchObject({ status: 202, body: { commands_changes: { title: 'New', state_event: 'close' } } })
  expect((await guest.get(own)).body).toMatchObject({ title: 'New', state: 'closed' })
  await guest.post(`${path}/notes`, { body: '/reopen\nplease' })
  expect((await guest.get(own)).body.state).toBe('closed')
  expect((await planner.post(`${path}/notes`, { body: '/label ~none' })).status).toBe(400)
})

test('an epic and its notes are reacted to by its iid', async () => {
  const { path, own } = await newEpic()
  const { body: note } = await guest.post(`${path}/notes`, { body: 'x' })
  const ofNote = `${own}/notes/${note.id}/award_emoji`
  const given = await guest.post(ofNote, { name: 'tada' })
  expect(given).toMatchObject({ status: 201, body: { awardable_type: 'Note', awardable_id: note.id } })
  const vote = await guest.post(`${own}/award_emoji`, { name: 'thumbsup' })
  expect((await guest.get(own)).body).toMatchObject({ upvotes: 1, downvotes: 0 })
  expect((await guest.get(`${own}/award_emoji/${vote.body.id}`)).body).toEqual(vote.body)
  expect((await guest.get(`${own}/note_award_emoji`)).body).toEqual([given.body])
  expect((await planner.delete(`${ofNote}/${given.body.id}`)).status).toBe(401)
  expect((await guest.delete(`${ofNote}/${given.body.id}`)).status).toBe(204)
  expect((await guest.get(ofNote)).body).toEqual([])
  expect(await guest.post(`${epics}/999/award_emoji`, { name: 'tada' })).toMatchObject({
    status: 404,
    body: { message: '404 Epic Not Found' },
  })
  expect(await guest.get(`${epics}/999/award_emoji`)).toMatchObject({
    status: 404,
    body: { message: '404 Award Emoji Not Found' },
  })
})

test('readers of a public group comment, others than readers do not', async () => {
  const { path } = await newEpic()
  expect((await stranger.post(`${path}/notes`, { body: 'x' })).status).toBe(404)
  const secret = await newEpic({ confidential: true })
  expect(await guest.post(`${secret.path}/notes`, { body: 'x' })).toMatchObject({
    status: 404,
    body: { message: '404 Not found' },
  })
  expect(await guest.get(`${epics}/x/notes`)).toMatchObject({ status: 400, body: { error: 'epic_id is invalid' } })
  const open = async (visibility: string) => {
    const path = `open-${visibility}`
    const { body: group } = await owner.post('/groups', { name: path, path, visibility })
    const { body } = await owner.post(`/groups/${group.id}/epics`, { title: 'open' })
    return `/groups/${group.id}/epics/${body.id}/notes`
  }
  const everywhere = await open('public')
  expect((await stranger.post(everywhere, { body: 'x' })).status).toBe(201)
  expect((await server.anonymous.get(everywhere)).status).toBe(401)
  const inside = await open('internal')
  expect((await stranger.get(inside)).status).toBe(200)
  expect((await stranger.post(inside, { body: 'x' })).status).toBe(403)
})

test('comments and reactions are deleted with the epic', async () => {
  const { id, path, own } = await newEpic()
  const { body: note } = await guest.post(`${path}/notes`, { body: 'x' })
  await guest.post(`${own}/notes/${note.id}/award_emoji`, { name: 'tada' })
  expect((await owner.delete(own)).status).toBe(204)
  const { read } = server.app.platform.database
  expect(await read.selectFrom('notes').select('id').where('id', '=', note.id).execute()).toEqual([])
  const awards = read.selectFrom('award_emoji').select('id').where('noteable_id', 'in', [id, note.id])
  expect(await awards.where('noteable_type', 'in', ['Epic', 'Note']).execute()).toEqual([])
})
