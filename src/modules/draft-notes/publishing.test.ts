import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { type MailServer, startMailServer } from '../../testing/mail.ts'
import { makePlace, openRequest, type Place, pushBranch, textWith } from '../merge-requests/testing.ts'
import { addDrafts } from './testing.ts'

let mails: MailServer
let server: TestServer
let place: Place
let one: string
let opened: { iid: number; id: number; diff_refs: Record<string, string> }
let made = 0
beforeAll(async () => {
  mails = await startMailServer()
  server = await startTestServer({ settings: { FENNEC_SMTP_URL: mails.url } })
  place = await makePlace(server)
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
  await mails[Symbol.asyncDispose]()
})
beforeEach(async () => {
  made += 1
  opened = await openRequest(place, `branch-${made}`, { 'a.txt': textWith(4, `changed ${made}`) })
  one = `${place.at}/${opened.iid}`
  await sent()
})
afterEach(async () => {
  for (const person of [place.developer, place.reporter, place.maintainer]) {
    expect((await person.get(`${one}/draft_notes`)).body).toEqual([])
  }
})

/** Lets the jobs run. @returns the mails since the last call */
async function sent() {
  await server.app.platform.jobs.drain()
  return mails.received.splice(0)
}

type Note = { body: string; type: string | null; resolved?: boolean; author: { id: number }; system: boolean }
type Thread = { id: string; individual_note: boolean; notes: Note[] }

const threads = async (): Promise<Thread[]> => {
  const { body } = await place.owner.get(`${one}/discussions`)
  return body.filter(({ notes }: Thread) => !notes[0]?.system)
}
const bodies = async () => (await threads()).map(({ notes }) => notes.map(({ body }) => body))
const submit = (body: object = {}, who = place.reporter) => who.post(`${one}/draft_notes/bulk_publish`, body)
const position = () => ({ ...opened.diff_refs, position_type: 'text', new_path: 'a.txt', new_line: 5 })

test('a draft becomes a comment of its author, and is gone', async () => {
  const { reporter } = place
  const [draft, other] = await addDrafts(reporter, one, { note: 'First' }, { note: 'Second' })
  const publish = `${one}/draft_notes/${draft.id}/publish`
  expect((await reporter.put(publish)).status).toBe(204)
  expect(await threads()).toMatchObject([
    { individual_note: true, notes: [{ body: 'First', author: { id: reporter.id } }] },
  ])
  expect(await reporter.put(publish)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
  expect((await reporter.get(`${one}/draft_notes`)).body).toMatchObject([{ id: other.id }])
  expect((await sent()).every((mail) => mail.text.includes('commented:'))).toBe(true)
  expect((await submit()).status).toBe(204)
})

test('all drafts become notes at once, in order, and are sent in one mail', async () => {
  const { reporter, developer, owner } = place
  const { body: open } = await owner.post(`${one}/discussions`, { body: 'Why?' })
  const { body: single } = await owner.post(`${one}/notes`, { body: 'Single' })
  await developer.put(one, { reviewer_ids: [reporter.id] })
  await sent()
  await addDrafts(
    reporter,
    one,
    { note: 'About @maintainer and the line', position: position() },
    { note: 'Because', in_reply_to_discussion_id: open.id },
    { note: 'Plain' },
  )
  expect((await submit({ note: 'In **short**' })).status).toBe(204)
  expect(single.body).toBe('Single')
  expect(await threads()).toMatchObject([
    { notes: [{ body: 'Why?' }, { body: 'Because' }] },
    { individual_note: true, notes: [{ body: 'Single' }] },
    { individual_note: false, notes: [{ type: 'DiffNote', body: 'About @maintainer and the line' }] },
    { individual_note: true, notes: [{ type: null, body: 'Plain' }] },
    { individual_note: true, notes: [{ body: 'In **short**' }] },
  ])
  const all = await sent()
  const addressed = all.map(({ to }) => to[0]?.split('@')[0]).sort()
  expect(addressed).toEqual([...new Set(addressed)])
  expect(addressed).toEqual(expect.arrayContaining(['developer', 'maintainer', 'owner']))
  for (const { text, headers } of all) {
    expect(text).toMatch(
      /^reporter.* reviewed the merge request:\n\nAbout @maintainer[\s\S]*Because[\s\S]*Plain[\s\S]*In \*\*short/,
    )
    expect(headers.subject).toMatch(/^Re: /)
  }
  expect((await owner.get(`${one}/reviewers`)).body).toMatchObject([{ state: 'reviewed' }])
  expect((await submit()).status).toBe(204)
  expect(await sent()).toEqual([])
})

test('an answer resolves its thread or opens it again, where its author may', async () => {
  const { developer, reporter, owner } = place
  const { body: thread } = await owner.post(`${one}/discussions`, { body: 'Why?' })
  const state = async () => (await threads())[0]?.notes.map(({ resolved }) => resolved)
  const reply = { note: 'So', in_reply_to_discussion_id: thread.id }
  await addDrafts(developer, one, { ...reply, resolve_discussion: true }, { note: 'Done', resolve_discussion: true })
  await submit({}, developer)
  expect(await state()).toEqual([true, true])
  expect((await threads())[1]).toMatchObject({ individual_note: false, notes: [{ body: 'Done', resolved: true }] })
  await addDrafts(reporter, one, reply)
  await submit()
  expect(await state()).toEqual([true, true, true])
  await addDrafts(developer, one, { ...reply, resolve_discussion: true }, reply)
  await submit({}, developer)
  expect(await state()).toEqual([false, false, false, false, false])
  const { body: single } = await owner.post(`${one}/notes`, { body: 'Single' })
  const { id } = (await owner.get(`${one}/discussions`)).body.find((one: Thread & { notes: { id: number }[] }) =>
    one.notes.some((note) => (note as unknown as { id: number }).id === single.id),
  )
  await addDrafts(developer, one, { note: 'Answered', in_reply_to_discussion_id: id, resolve_discussion: true })
  await submit({}, developer)
  expect((await threads()).at(-1)).toMatchObject({
    individual_note: false,
    notes: [{ resolved: true }, { resolved: true }],
  })
})

test('who may no longer resolve threads answers alone', async () => {
  const { developer, owner, base } = place
  const { body: thread } = await owner.post(`${one}/discussions`, { body: 'Why?' })
  const person = await server.user(`demoted-${made}`)
  await server.make.member({ project: place.project }, person, 30)
  await addDrafts(person, one, { note: 'So', in_reply_to_discussion_id: thread.id, resolve_discussion: true })
  await owner.put(`${base}/members/${person.id}`, { access_level: 20 })
  expect((await submit({}, person)).status).toBe(204)
  expect((await threads())[0]?.notes).toMatchObject([{ resolved: false }, { body: 'So', resolved: false }])
  await addDrafts(person, one, { note: 'Left' })
  await owner.delete(`${base}/members/${person.id}`)
  expect((await submit({}, person)).status).toBe(404)
  expect(developer.id).not.toBe(person.id)
  expect(await bodies()).not.toContainEqual(['Left'])
})

test('an answer to a deleted thread becomes a comment, and one to a thread that became unreadable is refused', async () => {
  const { owner, base } = place
  const { body: thread } = await owner.post(`${one}/discussions`, { body: 'Why?' })
  await addDrafts(place.reporter, one, { note: 'So', in_reply_to_discussion_id: thread.id })
  await owner.delete(`${one}/discussions/${thread.id}/notes/${thread.notes[0].id}`)
  expect((await place.reporter.get(`${one}/draft_notes`)).body).toMatchObject([{ discussion_id: null }])
  await submit()
  expect(await bodies()).toEqual([['So']])
  const { body: internal } = await owner.post(`${one}/discussions`, { body: 'Among us', internal: true })
  const person = await server.user(`planner-${made}`)
  await server.root.put(base, { visibility: 'public' })
  await server.make.member({ project: place.project }, person, 20)
  await addDrafts(person, one, { note: 'Kept' }, { note: 'Hidden', in_reply_to_discussion_id: internal.id })
  await owner.delete(`${base}/members/${person.id}`)
  expect(await submit({}, person)).toMatchObject({
    ...{ status: 400, body: { message: '400 Bad request - Thread to reply to cannot be found' } },
  })
  expect(await bodies()).toEqual([['So'], ['Among us']])
  expect((await person.get(`${one}/draft_notes`)).body).toHaveLength(2)
  await server.root.put(base, { visibility: 'private' })
})

test('answers in internal threads are sent to members alone', async () => {
  const { owner, reporter, base } = place
  await server.root.put(base, { visibility: 'public' })
  const outsider = await server.user(`listener-${made}`)
  await outsider.post(`${one}/subscribe`)
  const { body: internal } = await owner.post(`${one}/discussions`, { body: 'Among us', internal: true })
  await sent()
  await addDrafts(reporter, one, { note: 'Secret', in_reply_to_discussion_id: internal.id }, { note: 'Open' })
  await submit()
  const texts = (await sent()).filter(({ to }) => to[0]?.startsWith(outsider.username)).map(({ text }) => text)
  expect(texts).toHaveLength(1)
  expect(texts[0]).toContain('Open')
  expect(texts[0]).not.toContain('Secret')
  await server.root.put(base, { visibility: 'private' })
})

test('quick actions run at publication, after all notes are there', async () => {
  const { developer, owner } = place
  const [first] = await addDrafts(developer, one, { note: 'Look\n/title Other' }, { note: '/estimate 2h' })
  expect((await owner.get(one)).body.title).not.toBe('Other')
  expect((await submit({ note: '/spend 1h\nThanks' }, developer)).status).toBe(204)
  expect((await owner.get(one)).body).toMatchObject({
    ...{ title: 'Other', time_stats: { time_estimate: 7200, total_time_spent: 3600 } },
  })
  expect(await bodies()).toEqual([['Look'], ['Thanks']])
  expect((await developer.get(`${one}/draft_notes/${first.id}`)).status).toBe(404)
})

test('a quick action with an argument that it cannot use refuses the publication', async () => {
  const { developer } = place
  const [good, bad] = await addDrafts(developer, one, { note: 'Good' }, { note: '/estimate soon' })
  const refusal = { status: 400, body: { message: '400 Bad request - Could not apply estimate command.' } }
  expect(await submit({}, developer)).toMatchObject(refusal)
  expect(await developer.put(`${one}/draft_notes/${bad.id}/publish`)).toMatchObject(refusal)
  expect(await bodies()).toEqual([])
  await developer.put(`${one}/draft_notes/${bad.id}`, { note: 'Better' })
  await submit({}, developer)
  expect(await bodies()).toEqual([['Good'], ['Better']])
  expect(good.note).toBe('Good')
})

test('a review approves, or publishes nothing', async () => {
  const { reporter, maintainer, owner } = place
  await place.developer.put(one, { reviewer_ids: [maintainer.id] })
  await addDrafts(reporter, one, { note: 'Fine' })
  expect((await submit({ approve: true })).status).toBe(401)
  expect(await bodies()).toEqual([])
  await submit()
  await addDrafts(maintainer, one, { note: 'Great' })
  expect((await submit({ approve: true, note: 'Thanks' }, maintainer)).status).toBe(204)
  expect((await owner.get(`${one}/approvals`)).body.approved_by).toMatchObject([{ user: { id: maintainer.id } }])
  expect((await owner.get(`${one}/reviewers`)).body).toMatchObject([{ state: 'approved' }])
  expect(await bodies()).toEqual([['Fine'], ['Great'], ['Thanks']])
  await addDrafts(maintainer, one, { note: 'One more' })
  await submit({}, maintainer)
  expect((await owner.get(`${one}/reviewers`)).body).toMatchObject([{ state: 'approved' }])
})

test('two submissions at once publish each draft once', async () => {
  const { reporter } = place
  const [first] = await addDrafts(reporter, one, { note: 'a' }, { note: 'b' }, { note: 'c' })
  const answers = await Promise.all([submit(), submit(), reporter.put(`${one}/draft_notes/${first.id}/publish`)])
  expect(answers.slice(0, 2).map(({ status }) => status)).toEqual([204, 204])
  expect((await bodies()).flat().sort()).toEqual(['a', 'b', 'c'])
})

test('a draft on a line that is gone from the newest version stays on its own', async () => {
  const { reporter } = place
  await addDrafts(reporter, one, { note: 'Old', position: position() })
  const { head_sha } = opened.diff_refs
  await pushBranch(place, `branch-${made}`, { 'a.txt': textWith(8, 'elsewhere') })
  expect((await reporter.get(one)).body.sha).not.toBe(head_sha)
  expect((await submit()).status).toBe(204)
  expect(await threads()).toMatchObject([{ notes: [{ type: 'DiffNote', position: { head_sha, new_line: 5 } }] }])
})

test('merged and closed merge requests take drafts', async () => {
  const { reporter, developer } = place
  await developer.put(one, { state_event: 'close' })
  await addDrafts(reporter, one, { note: 'After' })
  await submit()
  expect(await bodies()).toEqual([['After']])
})
