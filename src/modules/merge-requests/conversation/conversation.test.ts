import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/index.ts'
import { makePlace, openRequest, type Place, textWith } from '../testing.ts'

let server: TestServer
let place: Place
let one: string
let opened: {
  iid: number
  id: number
  sha: string
  diff_refs: { base_sha: string; start_sha: string; head_sha: string }
}
beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
  opened = await openRequest(place, 'talk', { 'a.txt': textWith(4, 'changed') })
  one = `${place.at}/${opened.iid}`
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

const position = (line: object) => ({ ...opened.diff_refs, position_type: 'text', new_path: 'a.txt', ...line })

test('a thread on a line of the diff blocks the merge until it is resolved', async () => {
  const { developer, reporter, guest, owner, base } = place
  const made = await reporter.post(`${one}/discussions`, { body: 'why?', position: position({ new_line: 5 }) })
  expect(made).toMatchObject({
    status: 201,
    body: {
      individual_note: false,
      notes: [
        { type: 'DiffNote', resolvable: true, resolved: false, noteable_iid: opened.iid, position: { new_line: 5 } },
      ],
    },
  })
  expect((await developer.get(one)).body).toMatchObject({ detailed_merge_status: 'mergeable', user_notes_count: 1 })
  await owner.put(base, { only_allow_merge_if_all_discussions_are_resolved: true })
  expect((await developer.get(one)).body).toMatchObject({
    ...{ detailed_merge_status: 'discussions_not_resolved', blocking_discussions_resolved: false },
  })
  expect((await place.maintainer.put(`${one}/merge`)).status).toBe(405)
  const thread = `${one}/discussions/${made.body.id}`
  expect((await reporter.put(thread, { resolved: true })).status).toBe(403)
  expect((await guest.get(`${one}/discussions`)).status).toBe(403)
  expect((await developer.put(thread, { resolved: true })).body.notes).toMatchObject([{ resolved: true }])
  expect((await developer.get(one)).body.detailed_merge_status).toBe('mergeable')
})

test.each([
  ['a line that does not exist', { new_line: 99 }],
  ['another file', { new_path: 'b.txt', new_line: 1 }],
  ['another commit', { new_line: 5, head_sha: '0'.repeat(40) }],
])('a thread on %s is refused', async (_, line) => {
  const { status, body } = await place.reporter.post(`${one}/discussions`, { body: 'x', position: position(line) })
  expect({ status, body }).toEqual({
    status: 400,
    body: {
      message: '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}',
    },
  })
})

test('quick actions change, approve and merge', async () => {
  const { developer, maintainer, at } = place
  const { iid, sha } = await openRequest(place, 'quick')
  const say = (client: typeof developer, body: string, more: object = {}) =>
    client.post(`${at}/${iid}/notes`, { body, ...more })
  expect(await say(developer, '/draft\n/lock')).toMatchObject({ status: 202 })
  expect((await developer.get(`${at}/${iid}`)).body).toMatchObject({ draft: true, title: 'Draft: Merge quick' })
  expect((await say(developer, `/ready\n/assign_reviewer @${maintainer.username}`)).status).toBe(202)
  expect((await developer.get(`${at}/${iid}`)).body).toMatchObject({
    ...{ draft: false, title: 'Merge quick', reviewers: [{ id: maintainer.id }] },
  })
  expect((await say(maintainer, '/approve')).status).toBe(202)
  expect((await developer.get(`${at}/${iid}/approvals`)).body.approved_by).toHaveLength(1)
  expect(await say(maintainer, '/merge')).toMatchObject({ status: 400 })
  expect((await say(maintainer, 'done\n/merge', { merge_request_diff_head_sha: sha })).status).toBe(201)
  expect((await developer.get(`${at}/${iid}`)).body.state).toBe('merged')
})

test('reactions, subscriptions, to-dos, participants and times', async () => {
  const { developer, maintainer, reporter } = place
  expect((await reporter.post(`${one}/award_emoji`, { name: 'thumbsup' })).status).toBe(201)
  expect((await developer.get(one)).body.upvotes).toBe(1)
  expect((await developer.post(`${one}/subscribe`)).status).toBe(304)
  expect((await maintainer.post(`${one}/subscribe`)).body).toMatchObject({ subscribed: true, iid: opened.iid })
  expect((await maintainer.post(`${one}/unsubscribe`)).status).toBe(201)
  expect((await maintainer.post(`${one}/todo`)).body).toMatchObject({
    ...{ action_name: 'marked', target_type: 'MergeRequest', target: { iid: opened.iid } },
  })
  expect((await maintainer.post(`${one}/todo`)).status).toBe(304)
  const participants = (await developer.get(`${one}/participants`)).body.map(({ id }: { id: number }) => id)
  expect(participants).toEqual([developer.id, reporter.id].sort((a, b) => a - b))
  expect((await developer.post(`${one}/time_estimate`, { duration: '3h30m' })).body.human_time_estimate).toBe('3h 30m')
  expect((await reporter.post(`${one}/add_spent_time`, { duration: '1h' })).status).toBe(403)
  expect((await developer.post(`${one}/add_spent_time`, { duration: '1h' })).status).toBe(201)
  expect((await developer.get(one)).body.time_stats).toMatchObject({ time_estimate: 12_600, total_time_spent: 3_600 })
})

test('labels, milestones and states leave events', async () => {
  const { developer, at } = place
  const { iid, id } = await openRequest(place, 'events', undefined, { labels: 'a,b' })
  await developer.put(`${at}/${iid}`, { remove_labels: 'a', state_event: 'close' })
  await developer.put(`${at}/${iid}`, { state_event: 'reopen' })
  const labels = await developer.get(`${at}/${iid}/resource_label_events`)
  expect(labels.body).toMatchObject([
    { action: 'add', label: { name: 'a' }, resource_type: 'MergeRequest', resource_id: id },
    { action: 'add', label: { name: 'b' } },
    { action: 'remove', label: { name: 'a' } },
  ])
  const states = await developer.get(`${at}/${iid}/resource_state_events`)
  expect(states.body.map(({ state }: { state: string }) => state)).toEqual(['closed', 'reopened'])
  expect((await server.anonymous.get(`${at}/${iid}/resource_state_events`)).status).toBe(401)
})
