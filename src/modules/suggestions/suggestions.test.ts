import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/index.ts'
import { lines, makePlace, openRequest, type Place, pushBranch, textWith } from '../merge-requests/testing.ts'

let server: TestServer
let place: Place
let iid: number
let shas: object
beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
  const opened = await openRequest(place, 'reviewed', { 'a.txt': textWith(4, 'changed') })
  iid = opened.iid
  shas = opened.diff_refs
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

const suggesting = (content: string, range = '-0+0') => `\`\`\`suggestion:${range}\n${content}\n\`\`\``
const position = (line: object) => ({ ...shas, position_type: 'text', new_path: 'a.txt', ...line })

async function suggest(body: string, line: object = { new_line: 5 }, of: number = iid) {
  const made = await place.reporter.post(`${place.at}/${of}/discussions`, { body, position: position(line) })
  expect(made.status).toBe(201)
  const [note] = made.body.notes
  return { thread: made.body.id, note, suggestion: note.suggestions[0] }
}
const apply = (id: number, body: object = {}, who = place.developer) => who.put(`/suggestions/${id}/apply`, body)
const message = (text: string) => ({ message: text })

test('a note on a line has what it suggests', async () => {
  const { note } = await suggest(`Better:\n${suggesting('one\ntwo', '-1+0')}`)
  expect(note.suggestions).toEqual([
    {
      ...{ id: expect.any(Number), from_line: 4, to_line: 5, appliable: true, applicable: true, applied: false },
      ...{ from_content: 'line 3\nchanged\n', to_content: 'one\ntwo\n' },
    },
  ])
  const path = `${place.at}/${iid}/notes/${note.id}`
  await place.reporter.put(path, { body: suggesting('three') })
  const { body } = await place.developer.get(path)
  expect(body.suggestions).toMatchObject([{ from_line: 5, to_content: 'three\n' }])
  expect((await suggest('none')).note.suggestions).toEqual([])
  expect((await suggest(suggesting('x'), { old_line: 5 })).note.suggestions).toEqual([])
  const plain = await place.reporter.post(`${place.at}/${iid}/notes`, { body: suggesting('x') })
  expect(plain.body).not.toHaveProperty('suggestions')
})

test('a suggestion is applied in one commit, which resolves its thread', async () => {
  const { suggestion, thread } = await suggest(suggesting('applied'))
  expect((await apply(suggestion.id, {}, place.reporter)).status).toBe(403)
  expect(await apply(suggestion.id)).toMatchObject({ status: 200, body: { applied: true, appliable: false } })
  const head = (await place.developer.get(`${place.base}/repository/commits/reviewed`)).body
  expect(head.message).toBe(
    `Apply 1 suggestion(s) to 1 file(s)\n\nCo-authored-by: reporter person <${place.reporter.username}@example.com>`,
  )
  expect((await place.developer.get(`${place.base}/repository/files/a.txt/raw?ref=reviewed`)).body).toBe(
    textWith(4, 'applied'),
  )
  const found = (await place.developer.get(`${place.at}/${iid}/discussions/${thread}`)).body
  expect(found.notes[0]).toMatchObject({ resolved: true, suggestions: [{ applied: true, from_content: 'changed\n' }] })
  const all = (await place.developer.get(`${place.at}/${iid}/notes`)).body
  expect(all[0]).toMatchObject({ system: true, body: `applied 1 suggestion to a.txt with ${head.id.slice(0, 8)}` })
  const again = await apply(suggestion.id)
  expect([again.status, again.body]).toEqual([400, message("Can't apply this suggestion.")])
})

test('a commit does not tell the address of an author who keeps it private', async () => {
  await server.root.put(`/users/${place.reporter.id}`, { commit_email: '_private' })
  const { iid: other, diff_refs } = await openRequest(place, 'discreet', { 'a.txt': textWith(4, 'changed') })
  shas = diff_refs
  const { suggestion } = await suggest(suggesting('applied'), { new_line: 5 }, other)
  expect((await apply(suggestion.id)).status).toBe(200)
  const { body } = await place.developer.get(`${place.base}/repository/commits/discreet`)
  expect(body.message).toContain('@users.noreply.')
  expect(body.message).not.toContain('@example.com')
})

test('a suggestion is not applied to lines that have changed, or are so already', async () => {
  const { iid: other, diff_refs } = await openRequest(place, 'moving', { 'a.txt': textWith(4, 'changed') })
  shas = diff_refs
  const same = await suggest(suggesting('changed'), { new_line: 5 }, other)
  expect((await apply(same.suggestion.id)).body).toEqual(message('This suggestion already matches its content.'))
  const one = await suggest(suggesting('x'), { new_line: 5 }, other)
  const several = await suggest(suggesting('x', '-1+1'), { new_line: 5 }, other)
  await pushBranch(place, 'moving', { 'a.txt': `${lines.with(4, 'again').join('\n')}\n` }, { from: 'moving' })
  const changed = (those: string) => message(`Can't apply as ${those} changed in a more recent version.`)
  expect((await apply(one.suggestion.id)).body).toEqual(changed('this line was'))
  expect((await apply(several.suggestion.id)).body).toEqual(changed('these lines were'))
  await place.developer.put(`${place.at}/${other}`, { state_event: 'close' })
  const closed = 'This merge request is closed. To apply this suggestion, edit this file directly.'
  expect((await apply(one.suggestion.id)).body).toEqual(message(closed))
})

test('a template of the project, or the caller, gives the message', async () => {
  const { iid: other, diff_refs } = await openRequest(place, 'worded', { 'a.txt': textWith(4, 'changed') })
  shas = diff_refs
  await place.owner.put(place.base, { suggestion_commit_message: '%{username}: %{file_paths} on %{branch_name} %{x}' })
  const worded = async (content: string, body: object) => {
    const { suggestion } = await suggest(suggesting(content), { new_line: 5 }, other)
    await apply(suggestion.id, body)
    const commit = (await place.developer.get(`${place.base}/repository/commits/worded`)).body
    shas = (await place.developer.get(`${place.at}/${other}`)).body.diff_refs
    return commit.message
  }
  expect(await worded('a', {})).toBe(`${place.developer.username}: a.txt on worded %{x}`)
  expect(await worded('b', { commit_message: 'Mine' })).toBe('Mine')
})

test('an unknown suggestion and one of another project', async () => {
  const missing = await apply(999_999)
  const text = 'Suggestion is not applicable as the suggestion was not found.'
  expect([missing.status, missing.body]).toEqual([404, message(text)])
  const { iid: other, diff_refs } = await openRequest(place, 'hidden', { 'a.txt': textWith(4, 'changed') })
  shas = diff_refs
  const { suggestion } = await suggest(suggesting('x'), { new_line: 5 }, other)
  const stranger = await server.make.user('stranger')
  expect((await apply(suggestion.id, {}, stranger)).status).toBe(403)
})

test('several suggestions are applied in one commit', async () => {
  await place.owner.put(place.base, { suggestion_commit_message: '' })
  const changed = lines.with(4, 'changed').with(7, 'too')
  const { iid: other, diff_refs } = await openRequest(place, 'several', {
    'a.txt': `${changed.join('\n')}\n`,
    'b.txt': 'one\n',
  })
  shas = diff_refs
  const inOther = { new_path: 'b.txt', new_line: 1 }
  const first = await suggest(suggesting('five\nsix'), { new_line: 5 }, other)
  const last = await suggest(suggesting('eight'), { new_line: 8 }, other)
  const file = await suggest(suggesting('uno'), inOther, other)
  const gone = await suggest(suggesting('dos'), inOther, other)
  const overlapping = await suggest(suggesting('x', '-1+1'), { new_line: 8 }, other)
  const elsewhere = await openRequest(place, 'elsewhere', { 'a.txt': textWith(4, 'changed') })
  shas = elsewhere.diff_refs
  const foreign = await suggest(suggesting('x'), { new_line: 5 }, elsewhere.iid)
  const idOf = ({ suggestion }: { suggestion: { id: number } }) => suggestion.id
  const applyAll = (ids: unknown, who = place.developer) => who.put('/suggestions/batch_apply', { ids })

  const all = [idOf(first), idOf(last), idOf(file)]
  expect((await applyAll(all, place.reporter)).status).toBe(403)
  expect((await place.developer.put('/suggestions/batch_apply', {})).body).toMatchObject({ error: 'ids is missing' })
  const missing = 'Suggestions are not applicable as one or more suggestions were not found.'
  for (const ids of [[...all, 999_999], [...all, all[0]], []]) {
    expect(await applyAll(ids)).toMatchObject({ status: 404, body: message(missing) })
  }
  expect(await applyAll([...all, idOf(foreign)])).toMatchObject({
    status: 400,
    body: message('Suggestions must all be on the same branch.'),
  })
  expect(await applyAll([...all, idOf(overlapping)])).toMatchObject({
    status: 400,
    body: message('Suggestions are not applicable as their lines cannot overlap.'),
  })

  const before = (await place.developer.get(`${place.base}/repository/commits/several`)).body
  const { status, body } = await applyAll(all.join(','))
  expect([status, body.map(({ id, applied }: { id: number; applied: boolean }) => [id, applied])]).toEqual([
    200,
    all.map((id) => [id, true]),
  ])
  const commit = (await place.developer.get(`${place.base}/repository/commits/several`)).body
  expect(commit.parent_ids).toEqual([before.id])
  expect(commit.message).toMatch(/^Apply 3 suggestion\(s\) to 2 file\(s\)\n\nCo-authored-by: [^\n]+$/)
  const raw = async (name: string) =>
    (await place.developer.get(`${place.base}/repository/files/${name}/raw?ref=several`)).body
  expect(await raw('a.txt')).toBe(`${changed.with(4, 'five\nsix').with(7, 'eight').join('\n')}\n`)
  expect(await raw('b.txt')).toBe('uno\n')
  const threads = (await place.developer.get(`${place.at}/${other}/discussions`)).body
  const resolved = [first, last, file].map(
    ({ thread }) => threads.find(({ id }: { id: string }) => id === thread).notes[0].resolved,
  )
  expect(resolved).toEqual([true, true, true])
  const notes = threads.flatMap((one: { notes: { body: string }[] }) => one.notes.map(({ body }) => body))
  expect(notes).toContain(`applied 3 suggestions to 2 files with ${commit.id.slice(0, 8)}`)
  expect(await applyAll([idOf(overlapping), all[0]])).toMatchObject({
    status: 400,
    body: message("Can't apply this suggestion."),
  })
  const removal = 'branch=several&commit_message=Remove'
  expect((await place.developer.delete(`${place.base}/repository/files/b.txt?${removal}`)).status).toBe(204)
  expect(await applyAll([idOf(gone)])).toMatchObject({ status: 400, body: message('A file was not found.') })
})
