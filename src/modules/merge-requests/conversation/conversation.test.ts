import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

test('a thread may be on several lines, which end with its own', async () => {
  const sha = createHash('sha1').update('a.txt').digest('hex')
  const start = { line_code: `${sha}_4_4` }
  const end = { new_line: 5 }
  const body = { body: 'all these', position: position({ new_line: 5, line_range: { start, end } }) }
  const made = await place.reporter.post(`${one}/discussions`, body)
  const unchanged = { line_code: `${sha}_4_4`, type: null, old_line: 4, new_line: 4 }
  const added = { line_code: `${sha}_6_5`, type: 'new', old_line: null, new_line: 5 }
  expect(made.body.notes[0].position.line_range).toEqual({ start: unchanged, end: added })
  const single = { body: 'one', position: position({ new_line: 5, line_range: { start: end, end } }) }
  expect((await place.reporter.post(`${one}/discussions`, single)).body.notes[0].position.line_range).toBeUndefined()
})

test.each([
  [
    'a range that ends elsewhere',
    { new_line: 5, line_range: { start: { new_line: 5 }, end: { old_line: 7, new_line: 7 } } },
  ],
  [
    'a range that begins below',
    { new_line: 5, line_range: { start: { old_line: 7, new_line: 7 }, end: { new_line: 5 } } },
  ],
  [
    'a range of another file',
    { new_line: 5, line_range: { start: { line_code: `${'0'.repeat(40)}_4_4` }, end: { new_line: 5 } } },
  ],
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
  await say(maintainer, '/unassign_reviewer')
  expect((await say(maintainer, '/assign_reviewer me')).status).toBe(202)
  expect((await developer.get(`${at}/${iid}`)).body.reviewers).toMatchObject([{ id: maintainer.id }])
  expect((await say(maintainer, '/approve')).status).toBe(202)
  expect((await developer.get(`${at}/${iid}/approvals`)).body.approved_by).toHaveLength(1)
  expect(await say(maintainer, '/merge')).toMatchObject({ status: 400 })
  expect((await say(maintainer, 'done\n/merge', { merge_request_diff_head_sha: sha })).status).toBe(201)
  expect((await developer.get(`${at}/${iid}`)).body.state).toBe('merged')
})

test('quick actions in a new description are carried out, and are no part of it', async () => {
  const { developer, maintainer } = place
  const description = `Why.\n/assign_reviewer @${maintainer.username}\n/draft\n/nothing\n/estimate 2h`
  const made = await openRequest(place, 'commanded', undefined, { description })
  expect(made).toMatchObject({
    ...{ description: 'Why.\n/nothing', title: 'Draft: Merge commanded', draft: true },
    ...{ reviewers: [{ id: maintainer.id }], time_stats: { time_estimate: 7_200 } },
  })
  const ignored = await openRequest(place, 'ignored', undefined, { description: 'Why.\n/merge\n/assign @nobody-here' })
  expect(ignored).toMatchObject({ description: 'Why.', state: 'opened', author: { id: developer.id }, assignees: [] })
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

describe('an issue that follows up threads', () => {
  const startThread = async (iid: number, body: string, more: object = {}) => {
    const made = await place.reporter.post(`${place.at}/${iid}/discussions`, { body, ...more })
    return { id: String(made.body.id), note: Number(made.body.notes[0].id) }
  }
  const resolvedIn = async (iid: number) => {
    const { body } = await place.developer.get(`${place.at}/${iid}/discussions`)
    const threads = body.filter(({ individual_note: isSingle }: { individual_note: boolean }) => !isSingle)
    return threads.map(({ notes }: { notes: { resolved: boolean }[] }) => notes[0]?.resolved)
  }
  const issuesAt = () => `${place.base}/issues`

  test('lists them in its description and resolves them', async () => {
    const { developer, reporter, at } = place
    const { iid, web_url } = await openRequest(place, 'followed')
    const first = await startThread(iid, 'why?\n/close')
    const second = await startThread(iid, 'and this?')
    await developer.post(`${at}/${iid}/discussions/${second.id}/notes`, { body: 'later' })
    await developer.post(`${at}/${iid}/notes`, { body: 'no thread' })
    const made = await developer.post(issuesAt(), { title: 'Later', merge_request_to_resolve_discussions_of: iid })
    expect(made.body).toMatchObject({ state: 'opened', task_completion_status: { count: 2 } })
    expect(made.body.description).toBe(
      [
        `The following discussions from !${iid} should be addressed:`,
        `- [ ] @${reporter.username} started a [discussion](${web_url}#note_${first.note}):`,
        '    > why?\n    > /close',
        `- [ ] @${reporter.username} started a [discussion](${web_url}#note_${second.note}): (+1 comment)`,
        '    > and this?',
      ].join('\n\n'),
    )
    expect(await resolvedIn(iid)).toEqual([true, true])
    const { body } = await developer.get(`${at}/${iid}/notes?activity_filter=only_activity`)
    expect(body.map(({ body }: { body: string }) => body)).toContain(`mentioned in issue #${made.body.iid}`)
    const none = await developer.post(issuesAt(), { title: 'Later', merge_request_to_resolve_discussions_of: iid })
    expect(none.body.description).toBe(null)
  })

  test('takes one thread, keeps a given description, and resolves only what the caller may', async () => {
    const { developer, reporter, guest } = place
    const { iid } = await openRequest(place, 'followed-once')
    const [first, second] = [await startThread(iid, 'one'), await startThread(iid, 'two')]
    const wish = { title: 'Later', merge_request_to_resolve_discussions_of: iid }
    const read = await reporter.post(issuesAt(), { ...wish, discussion_to_resolve: second.id })
    expect(read.body.description).toContain('The following discussion from')
    expect(read.body.description).not.toContain('one')
    expect(await resolvedIn(iid)).toEqual([false, false])
    const given = await developer.post(issuesAt(), { ...wish, description: 'mine', discussion_to_resolve: second.id })
    expect(given.body.description).toBe('mine')
    expect(await resolvedIn(iid)).toEqual([false, true])
    const unknown = [
      await guest.post(issuesAt(), wish),
      await developer.post(issuesAt(), { ...wish, merge_request_to_resolve_discussions_of: 9_999 }),
      await developer.post(issuesAt(), { ...wish, discussion_to_resolve: "'; drop table notes" }),
      await developer.post(issuesAt(), { title: 'x', discussion_to_resolve: first.id }),
    ]
    expect(unknown.map(({ status, body }) => [status, body.description])).toEqual(Array(4).fill([201, null]))
    expect(await resolvedIn(iid)).toEqual([false, true])
    const refused = await developer.post(issuesAt(), { ...wish, title: ' ' })
    expect(refused.status).toBe(400)
    expect(await resolvedIn(iid)).toEqual([false, true])
  })

  test('quotes as much as fits, and resolves all', async () => {
    const { developer } = place
    const { iid } = await openRequest(place, 'followed-much')
    await startThread(iid, 'x'.repeat(900_000))
    await startThread(iid, 'y'.repeat(900_000))
    const made = await developer.post(issuesAt(), { title: 'Later', merge_request_to_resolve_discussions_of: iid })
    expect(Buffer.byteLength(made.body.description)).toBeLessThan(1_048_576)
    expect(await resolvedIn(iid)).toEqual([true, true])
  })
})

test('a note is reacted to, and the reactions to all notes are listed at once', async () => {
  const { developer, reporter, guest } = place
  const { body: note } = await developer.post(`${one}/notes`, { body: 'nice' })
  const ofNote = `${one}/notes/${note.id}/award_emoji`
  const { status, body: given } = await reporter.post(ofNote, { name: 'tada' })
  expect([status, given.awardable_type, given.awardable_id]).toEqual([201, 'Note', note.id])
  expect((await developer.get(ofNote)).body).toEqual([given])
  expect((await developer.get(`${ofNote}/${given.id}`)).body).toEqual(given)
  expect((await developer.get(`${one}/note_award_emoji`)).body).toEqual([given])
  expect((await reporter.post(ofNote, { name: 'tada' })).status).toBe(404)
  expect((await guest.post(ofNote, { name: 'eyes' })).status).toBe(403)
  expect((await developer.delete(`${ofNote}/${given.id}`)).status).toBe(401)
  expect((await reporter.delete(`${ofNote}/${given.id}`)).status).toBe(204)
  expect(await reporter.get(`${ofNote}/${given.id}`)).toMatchObject({
    status: 404,
    body: { message: '404 Award Emoji Not Found' },
  })
  const { body: own } = await reporter.post(`${one}/award_emoji`, { name: 'heart' })
  expect((await developer.get(`${one}/award_emoji/${own.id}`)).body).toEqual(own)
})

test('the notes of a thread are listed and read', async () => {
  const { developer } = place
  const { body: thread } = await developer.post(`${one}/discussions`, { body: 'first' })
  const notes = `${one}/discussions/${thread.id}/notes`
  const { body: reply } = await developer.post(notes, { body: 'second' })
  expect((await developer.get(notes)).body.map(({ body }: { body: string }) => body)).toEqual(['first', 'second'])
  expect((await developer.get(`${notes}/${reply.id}`)).body).toMatchObject({ id: reply.id, body: 'second' })
  expect(await developer.get(`${one}/discussions/${'0'.repeat(40)}/notes`)).toMatchObject({
    status: 404,
    body: { message: '404 Notes Not Found' },
  })
})
