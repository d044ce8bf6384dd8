import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRequest, type Place, script, startPlace } from '../testing.ts'

let place: Place
let path: string
let iid: string
let shas: Record<string, string>
beforeAll(async () => {
  place = await startPlace()
  const given = { source_branch: 'feature', target_branch: 'main', title: 'One' }
  const { body } = await place.developer.post(place.at, given)
  iid = String(body.iid)
  path = `${place.base}/${iid}/diffs`
  shas = Object.fromEntries(Object.entries(body.diff_refs).map(([name, sha]) => [`position[${name}]`, String(sha)]))
})
afterAll(() => place.server.stop())

type Who = 'owner' | 'developer' | 'reporter' | 'guest'

async function got(address: string, who: Who = 'developer') {
  const answer = await place[who].browser.get(address)
  expect(answer.html).not.toContain(script)
  return answer
}

const start = 'merge_request_discussions.create'
const lineOf = (line: Record<string, string>) => ({
  ...{ id: place.id, merge_request_iid: iid, ...shas },
  ...{ 'position[position_type]': 'text', 'position[old_path]': 'a.txt', 'position[new_path]': 'a.txt', ...line },
})
const threads = async () => (await place.owner.get(`${place.at}/${iid}/discussions`)).body

test('files are shown with their lines, in a tree with their counts, and side by side', async () => {
  const { html } = await got(path)
  expect(html).toContain('const five = &#39;&lt;script&gt;')
  expect(html).toMatch(/<nav class="file-tree"[\s\S]*a\.txt[\s\S]*\+2[\s\S]*−2/)
  expect(html).toContain('b &quot;&lt;script&gt;')
  expect(html).toContain('href="?at=1_6_5#l1_6_5"')
  expect((await got(`${path}?view=split`)).html).toContain('href="?view=split&amp;at=1_6_5#l1_6_5"')
})

test('the number of a line leads to a form under that line, and the form to a thread', async () => {
  const at = `${path}?at=1_6_5`
  const { html } = await got(at)
  expect(html).toMatch(/id="l1_6_5"[\s\S]{0,900}class="about-lines"[\s\S]{0,1500}name="position\[new_line\]" value="5"/)
  expect((await got(`${at}&suggest=1`)).html).toContain('```suggestion:-0+0\nconst five')
  const then = `${path}#l1_6_5`
  const line = lineOf({ 'position[new_line]': '5' })
  const body = `**Why** ${script}`
  const draft = await place.reporter.browser.send(at, start, { ...line, body, _form: 'line', _draft: 'preview' })
  expect([draft.status, draft.html.includes('<strong>Why</strong>')]).toEqual([200, true])
  expect(await threads()).toEqual([])
  const made = await place.reporter.browser.send(at, start, { ...line, body, _form: 'line' }, then)
  expect([made.status, made.location]).toEqual([303, then])
  expect((await got(path)).html).toMatch(
    /id="l1_6_5"[\s\S]{0,900}class="about-lines"[\s\S]{0,900}<strong>Why<\/strong>/,
  )
  const [{ id: thread, notes }] = await threads()
  expect(notes[0].position).toMatchObject({ new_line: 5, new_path: 'a.txt' })
  const overview = await got(`${place.base}/${iid}`)
  expect(overview.html).toContain(`href="${path}?thread=${thread}"`)
  expect((await got(`${path}?thread=${thread}`)).location).toBe(`${path}#note_${notes[0].id}`)
})

test('a thread may be on several lines', async () => {
  const sha = createHash('sha1').update('a.txt').digest('hex')
  const range = {
    'position[line_range][start][line_code]': `${sha}_3_3`,
    'position[line_range][end][line_code]': `${sha}_6_5`,
  }
  const fields = { ...lineOf({ 'position[new_line]': '5' }), ...range, body: 'These' }
  expect((await got(`${path}?at=1_6_5`)).html).toContain(`value="${sha}_3_3"`)
  expect((await place.developer.browser.send(path, start, fields)).status).toBe(303)
  expect((await got(path)).html).toContain('Lines 3 to 5')
  expect((await got(`${place.base}/${iid}`)).html).toContain('lines 3 to 5')
})

test('a suggestion is shown as a change, and applied by those who may push', async () => {
  const body = ['Better:', '```suggestion:-0+0', `twenty ${script}`, '```'].join('\r\n')
  const fields = { ...lineOf({ 'position[new_line]': '20' }), body }
  expect((await place.reporter.browser.send(path, start, fields)).status).toBe(303)
  const id = (await threads()).at(-1).notes[0].suggestions[0].id
  const apply = (who: Who) =>
    place[who].browser.send(path, 'suggestions.apply', { id: String(id), _form: `suggestion-${id}` })
  const { html } = await got(path)
  expect(html).toMatch(/class="suggestion diff"[\s\S]*>twenty<\/td>[\s\S]*>twenty &lt;script&gt;/)
  expect((await got(path, 'reporter')).html).not.toContain('>Apply</button>')
  expect((await apply('reporter')).status).toBe(403)
  expect((await apply('developer')).status).toBe(303)
  const address = `/projects/${place.id}/repository/files/a.txt/raw?ref=feature`
  expect((await place.owner.get(address)).body).toContain(`line 19\ntwenty ${script}\nline 21`)
  const applied = (await threads()).find(
    ({ notes }: { notes: { suggestions?: unknown[] }[] }) => notes[0]?.suggestions?.length,
  )
  expect(applied.notes[0]).toMatchObject({ resolved: true, suggestions: [{ applied: true }] })
  const again = await apply('developer')
  expect([again.status, again.html.includes('Can&#39;t apply this suggestion.')]).toEqual([400, true])
})

test('several suggestions are applied together', async () => {
  const [request, script] = [await openRequest(place, 'together'), '<script>']
  const at = `/projects/${place.id}/merge_requests/${request}`
  const { diff_refs } = (await place.owner.get(at)).body
  const ids: string[] = []
  for (const [line, text] of [
    [9, 'nine'],
    [11, script],
  ] as const) {
    const body = ['```suggestion:-0+0', text, '```'].join('\n')
    const position = {
      ...diff_refs,
      position_type: 'text',
      old_path: 'a.txt',
      new_path: 'a.txt',
      old_line: line,
      new_line: line,
    }
    const made = await place.reporter.post(`${at}/discussions`, { body, position })
    ids.push(String(made.body.notes[0].suggestions[0].id))
  }
  const page = `${place.base}/${request}`
  const { html } = await got(page)
  expect(html).toMatch(/Apply 2 suggestions together[\s\S]*a\.txt, line 9, by reporter/)
  expect((await got(page, 'reporter')).html).not.toContain('suggestions together')
  const apply = (who: Who, chosen: string[]) =>
    place[who].browser.send(page, 'suggestions.apply_several', { 'ids[0]': chosen[0] ?? '', 'ids[1]': chosen[1] ?? '' })
  expect((await apply('reporter', ids)).status).toBe(403)
  expect((await apply('developer', ids)).status).toBe(303)
  const { body } = await place.owner.get(`/projects/${place.id}/repository/files/a.txt/raw?ref=together`)
  expect(body).toContain(`line 8\nnine\ntogether\n${script}\nline 12`)
  const again = await apply('developer', ids)
  expect([again.status, (await got(page)).html.includes('suggestions together')]).toEqual([400, false])
})

test('a refused thread keeps its text under the line', async () => {
  const fields = { ...lineOf({ 'position[new_line]': '999' }), body: 'Kept', _form: 'line' }
  const { status, html } = await place.developer.browser.send(`${path}?at=1_6_5`, start, fields)
  expect([status, html.includes('Kept</textarea>'), html.includes('role="alert"')]).toEqual([400, true, true])
})

test('comments on lines are reacted to', async () => {
  const [{ notes }] = await threads()
  const call = { id: place.id, merge_request_iid: iid, note_id: String(notes[0].id), name: 'heart' }
  const react = (who: Who) => place[who].browser.send(path, 'merge_request_note_awards.create', call)
  expect((await react('guest')).status).toBe(403)
  expect((await react('reporter')).status).toBe(303)
  expect((await got(path, 'reporter')).html).toMatch(/Take back [\s\S]*?heart, 1/)
  expect((await got(`${place.base}/${iid}`)).html).toMatch(/React with [\s\S]*?heart, 1/)
})

test('threads are resolved by those who may', async () => {
  const [{ id: discussion }] = await threads()
  const call = { id: place.id, merge_request_iid: iid, discussion_id: discussion, resolved: 'true' }
  const resolve = (who: Who) => place[who].browser.send(path, 'merge_request_discussions.resolve', call)
  expect((await resolve('reporter')).status).toBe(403)
  expect((await resolve('developer')).status).toBe(303)
  expect((await got(path)).html).toContain('Resolved by developer')
  expect((await place.guest.browser.get(path)).status).toBe(403)
  expect((await place.anonymous.get(path)).status).toBe(302)
})

test('a push makes a version; threads on lines of others say so', async () => {
  const { owner, id } = place
  const file = { branch: 'feature', content: 'three\n', commit_message: 'More' }
  await owner.post(`/projects/${id}/repository/files/new.txt`, file)
  const newest = await got(path)
  expect(newest.html).toContain('3 threads on lines of another')
  const versions = (await owner.get(`${place.at}/${iid}/versions`)).body
  expect(newest.html).toContain(`version=${versions.at(-1).id}`)
  const before = await got(`${path}?version=${versions.at(-1).id}`)
  expect([before.html.includes('new.txt'), before.html.includes('of another')]).toEqual([false, false])
  expect((await got(`${path}?version=999999`)).status).toBe(404)
})

test.each(['at=1_6', 'at=9_1_1', 'at=%3Cscript%3Ealert(1)%3C/script%3E', 'file=0', 'thread=x', 'page=99', 'view=%22'])(
  'an odd address %s has a page',
  async (query) => {
    expect((await got(`${path}?${query}`)).status).toBeLessThan(400)
  },
)

test('large changes are divided into pages, and lines that do not fit have a page of their own', async () => {
  const { developer, id, base } = place
  const number = await openRequest(place, 'large')
  const content = Array.from({ length: 1_800 }, (_, index) => `line ${index}`).join('\n')
  const actions = Array.from({ length: 60 }, (_, index) => ({
    ...{ action: 'create', file_path: `many/file-${String(index).padStart(3, '0')}.txt` },
    content: index < 3 ? content : `${index}\n`,
  }))
  await developer.post(`/projects/${id}/repository/commits`, { branch: 'large', commit_message: 'Many', actions })
  const first = await got(`${base}/${number}/diffs`)
  expect(first.html).toContain('Page 1 of 2')
  expect(first.html).toContain('The changes do not fit on this page.')
  expect(first.html.match(/class="diff talked"/g)).toHaveLength(50)
  const [, left] = /href="([^"]*file=3[^"]*)#file-3"/.exec(first.html) ?? []
  const alone = await got((left ?? '').replaceAll('&amp;', '&'))
  expect([alone.html.includes('line 1799'), alone.html.match(/class="diff talked"/g)?.length]).toEqual([true, 1])
  expect((await got(`${base}/${number}/diffs?page=2`)).html).toContain('file-059.txt')
})
