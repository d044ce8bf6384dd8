import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRequest, type Place, script, startPlace } from '../testing.ts'

let place: Place
let path: string
let at: string
let shas: Record<string, string>
beforeAll(async () => {
  place = await startPlace()
  const iid = await openRequest(place, 'reviewed')
  path = `${place.base}/${iid}`
  at = `${place.at}/${iid}`
  const { diff_refs } = (await place.owner.get(at)).body
  shas = Object.fromEntries(Object.entries(diff_refs).map(([name, sha]) => [`position[${name}]`, String(sha)]))
})
afterAll(() => place.server.stop())

type Who = 'owner' | 'developer' | 'reporter' | 'guest'

async function got(address: string, who: Who = 'reporter') {
  const answer = await place[who].browser.get(address)
  expect(answer.html).not.toContain(script)
  return answer
}

const call = () => ({ id: place.id, merge_request_iid: path.split('/').at(-1) ?? '' })
const send = (address: string, operation: string, fields: Record<string, string>, who: Who = 'reporter') =>
  place[who].browser.send(address, operation, { ...call(), ...fields })
const drafts = async () => (await place.reporter.get(`${at}/draft_notes`)).body
/** The description of the button, as the page has it. */
const buttonOf = (html: string) => /name="_other" value="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''

test('a comment is kept as a draft, which others do not see', async () => {
  const { html } = await got(path)
  expect(html).toContain('>Start a review</button>')
  const fields = { body: `**Hm** ${script}`, _form: 'comment', _other: buttonOf(html) }
  const sent = await send(path, 'draft_notes.create', fields)
  const [draft] = await drafts()
  expect([sent.status, sent.location]).toEqual([303, `${path}#draft_${draft.id}`])
  expect(draft.note).toBe(`**Hm** ${script}`)
  const own = await got(path)
  expect(own.html).toMatch(/id="draft_\d+"[\s\S]*Only you see it\.[\s\S]*<strong>Hm<\/strong>/)
  expect(own.html).toContain('>Add to review</button>')
  expect(own.html).toContain('Submit the review')
  for (const other of ['developer', 'owner'] as const) {
    expect((await got(path, other)).html).not.toMatch(/<strong>Hm<|Only you see it/)
  }
})

test('a draft stands at its line, and an answer in its thread', async () => {
  const { html } = await got(`${path}/diffs?at=1_10_10`)
  expect(html).toContain('>Add to review</button>')
  const line = {
    ...{ ...shas, 'position[position_type]': 'text', 'position[old_path]': 'a.txt', 'position[new_path]': 'a.txt' },
    ...{ 'position[new_line]': '10', body: 'At the line', _form: 'line', _other: buttonOf(html) },
  }
  expect((await send(`${path}/diffs?at=1_10_10`, 'draft_notes.create', line)).status).toBe(303)
  const changes = await got(`${path}/diffs`)
  expect(changes.html).toMatch(/class="about-lines"[\s\S]{0,400}id="draft_\d+"[\s\S]{0,600}At the line/)
  expect((await got(`${path}/diffs`, 'owner')).html).not.toContain('At the line')
  const { id: thread } = (await place.owner.post(`${at}/discussions`, { body: 'Why?' })).body
  const talk = await got(path)
  const reply = { body: 'Because', discussion_id: thread, _form: `reply-${thread}`, _other: buttonOf(talk.html) }
  expect((await send(path, 'draft_notes.create', reply)).status).toBe(303)
  expect((await drafts()).at(-1)).toMatchObject({ note: 'Because', discussion_id: thread })
  expect((await got(path)).html).toMatch(
    /class="thread"[\s\S]*Why\?[\s\S]*class="comment draft"[\s\S]*Because[\s\S]*thread-end/,
  )
  expect((await got(path)).html).toMatch(/Your review <span class="count">3<\/span>[\s\S]*a\.txt<\/code> line 10/)
})

test('a draft is changed, published and deleted', async () => {
  const made = await place.reporter.post(`${at}/draft_notes`, { note: 'Typo' })
  const draft_note_id = String(made.body.id)
  const edit = { draft_note_id, note: '', _form: `edit-draft-${draft_note_id}` }
  const refused = await send(path, 'draft_notes.update', edit)
  expect([refused.status, refused.html.includes('role="alert"')]).toEqual([400, true])
  expect((await send(path, 'draft_notes.update', { ...edit, note: 'Fixed' })).status).toBe(303)
  expect((await send(path, 'draft_notes.publish', { draft_note_id })).status).toBe(303)
  expect((await got(path, 'owner')).html).toContain('Fixed')
  const gone = await place.reporter.post(`${at}/draft_notes`, { note: 'Gone' })
  expect((await send(path, 'draft_notes.delete', { draft_note_id: String(gone.body.id) })).status).toBe(303)
  expect((await drafts()).map(({ note }: { note: string }) => note)).not.toContain('Gone')
})

test('a review is submitted with a summary, and approves where its author may', async () => {
  expect((await got(path)).html).not.toContain('name="approve"')
  expect((await send(path, 'draft_notes.publish_all', { note: 'All in all' })).status).toBe(303)
  expect(await drafts()).toEqual([])
  const { html } = await got(path, 'owner')
  for (const text of ['<strong>Hm</strong>', 'At the line', 'Because', 'All in all']) expect(html).toContain(text)
  expect((await got(path)).html).not.toContain('Submit the review')
  await place.owner.post(`${at}/draft_notes`, { note: 'Fine' })
  expect((await got(path, 'owner')).html).toContain('name="approve"')
  const fields = { note: '', approve: 'true' }
  expect((await send(`${path}/diffs`, 'draft_notes.publish_all', fields, 'owner')).status).toBe(303)
  expect((await place.owner.get(`${at}/approvals`)).body.approved_by).toHaveLength(1)
})

test('who may not comment is offered no review', async () => {
  expect((await got(path, 'guest')).status).toBe(403)
  const issue = await place.owner.post(`/projects/${place.id}/issues`, { title: 'Elsewhere' })
  expect((await got(`/owner/demo/-/issues/${issue.body.iid}`, 'owner')).html).not.toContain('Start a review')
})

test.each(['approve=body', '_operation=draft_notes.create', 'note=%00', '_operation=merge_requests.delete&note=body'])(
  'a button that is described as %j performs nothing else',
  async (_other) => {
    const sent = await send(path, 'draft_notes.create', { body: 'x', _form: 'comment', _other })
    expect([sent.status, await drafts()]).toEqual([400, []])
  },
)
