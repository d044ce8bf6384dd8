import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  makePeople,
  type People,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { addSystemNote } from '../../notes/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { issuableOf } from '../core/access.ts'
import { issueById } from '../core/store.ts'
import { createdIssue, issuesOf } from '../testing.ts'
import { withFullReferences } from './references.ts'

let server: TestServer
let people: People
let group: NamespaceRow
let project: ProjectRow
let target: ProjectRow
let at: string

beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  group = await server.make.group('moving', people.owner)
  ;({ project } = await projectWithMembers(server, { people, path: 'from', namespace: group }))
  ;({ project: target } = await projectWithMembers(server, { people, path: 'to', namespace: group }))
  at = issuesOf(project)
})
afterAll(() => server.stop())

const systemNotes = async (issueId: number) =>
  (
    await server.app.platform.database.read
      .selectFrom('notes')
      .select('body')
      .where('noteable_type', '=', 'Issue')
      .where('noteable_id', '=', issueId)
      .orderBy('id')
      .execute()
  ).map(({ body }) => body)

/** Stores a note on an issue by rows, as notes of users are. */
async function comment(issueId: number, body: string) {
  const { database } = server.app.platform
  const row = await issueById(database.read, issueId)
  if (!row) throw new Error('no such issue')
  const at = '2026-01-01T00:00:00.000Z'
  await database.write((tx) => addSystemNote(tx, issuableOf(row), body, { userId: people.guest.id, at }))
}

describe('a move', () => {
  test('copies the issue with what it has, and closes the old one', async () => {
    await people.owner.post('/groups/moving/labels', { name: 'both', color: '#000000' })
    const attributes = {
      ...{ title: 'wandering', description: 'See #91, `#2` and moving/to#93', weight: 4, due_date: '2030-01-01' },
      ...{ labels: 'both,here only', confidential: true, assignee_ids: [people.developer.id] },
    }
    const old = await createdIssue(people.reporter, project, attributes)
    await comment(old.id, 'first')
    await comment(old.id, 'second')
    const moved = await people.maintainer.post(`${at}/${old.iid}/move`, { to_project_id: target.id })
    expect(moved.status).toBe(201)
    expect(moved.body).toMatchObject({
      ...{ project_id: target.id, title: 'wandering', state: 'opened', weight: 4, due_date: '2030-01-01' },
      description: 'See moving/from#91, `#2` and moving/to#93',
      ...{ labels: ['both'], confidential: true, author: { username: 'reporter' }, created_at: old.created_at },
      assignees: [{ username: 'developer' }],
      references: { full: `moving/to#${moved.body.iid}` },
    })
    const before = await people.maintainer.get(`${at}/${old.iid}`)
    expect(before.body).toMatchObject({
      ...{ state: 'closed', moved_to_id: moved.body.id, closed_by: { username: 'maintainer' } },
    })
    expect(await systemNotes(moved.body.id)).toEqual(['first', 'second', `moved from moving/from#${old.iid}`])
    expect(await systemNotes(old.id)).toEqual(['first', 'second', `moved to moving/to#${moved.body.iid}`])
    const weights = await server.app.platform.database.read
      .selectFrom('resource_weight_events')
      .select(['weight', 'user_id'])
      .where('issuable_id', '=', moved.body.id)
      .execute()
    expect(weights).toEqual([{ weight: 4, user_id: people.reporter.id }])
    const again = await people.maintainer.post(`${at}/${old.iid}/move`, { to_project_id: target.id })
    expect([again.status, again.body]).toEqual([400, { message: 'Cannot move issue due to insufficient permissions!' }])
  })

  test('happens once, also by parallel requests', async () => {
    const { iid } = await createdIssue(people.reporter, project)
    const answers = await Promise.all(
      [1, 2, 3].map(() => people.maintainer.post(`${at}/${iid}/move`, { to_project_id: target.id })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400])
  })
})

describe('a clone', () => {
  test('is open and in the name of the caller, with or without notes', async () => {
    const attributes = { title: 'twin', labels: 'both', weight: 2, description: '#1' }
    const old = await createdIssue(people.reporter, project, attributes)
    await comment(old.id, 'said')
    await people.reporter.put(`${at}/${old.iid}`, { state_event: 'close' })
    const twin = await people.developer.post(`${at}/${old.iid}/clone`, { to_project_id: project.id })
    expect(twin.body).toMatchObject({
      ...{ title: 'twin', state: 'opened', labels: ['both'], weight: 2, description: '#1' },
      author: { username: 'developer' },
    })
    expect(await systemNotes(twin.body.id)).toEqual([`cloned from moving/from#${old.iid}`])
    const full = await people.developer.post(`${at}/${old.iid}/clone`, { to_project_id: target.id, with_notes: true })
    expect(await systemNotes(full.body.id)).toContain('said')
    expect((await people.developer.get(`${at}/${old.iid}`)).body).toMatchObject({ state: 'closed', moved_to_id: null })
  })
})

describe('uploads to which the description and notes refer', () => {
  const attached = (name: string) => {
    const form = new FormData()
    form.append('file', new Blob([name]), name)
    return people.guest.post(`/projects/${project.id}/uploads`, form)
  }
  const uploadsOf = async ({ id }: ProjectRow) =>
    (await people.owner.get(`/projects/${id}/uploads`)).body.map(({ filename }: { filename: string }) => filename)

  test.each(['move', 'clone'])('go with a %s', async (what) => {
    const names = ['a.png', 'b.png', 'c.png'].map((name) => `${what}-${name}`)
    const [first, second] = [await attached(names[0] ?? ''), await attached(names[1] ?? '')]
    await attached(names[2] ?? '')
    const old = await createdIssue(people.guest, project, { description: first.body.markdown })
    await people.guest.post(`${at}/${old.iid}/notes`, { body: `see ${second.body.markdown}` })
    const given = { to_project_id: target.id, ...(what === 'clone' && { with_notes: true }) }
    const { body: made } = await people.maintainer.post(`${at}/${old.iid}/${what}`, given)
    const { body: notes } = await people.guest.get(`${issuesOf(target)}/${made.iid}/notes`)
    const texts = [made.description, notes.find(({ system }: { system: boolean }) => !system).body]
    for (const [index, text] of texts.entries()) {
      const [, url = ''] = /\((.*)\)/.exec(text) ?? []
      const answer = await fetch(`${server.url}/-/project/${target.id}${url}`, {
        headers: { 'PRIVATE-TOKEN': people.guest.token },
      })
      expect(await answer.text()).toBe(names[index])
    }
    expect(await uploadsOf(target)).toEqual(expect.arrayContaining(names.slice(0, 2)))
    expect(await uploadsOf(target)).not.toContain(names[2])
    const { description } = (await people.guest.get(`${at}/${old.iid}`)).body
    expect(description).toBe(first.body.markdown)
  })

  test('of notes stay when a clone has no notes; a clone in the same project refers to the same', async () => {
    const { body: image } = await attached('same.png')
    const old = await createdIssue(people.guest, project, { description: image.markdown })
    await people.guest.post(`${at}/${old.iid}/notes`, { body: (await attached('noted.png')).body.markdown })
    const before = await uploadsOf(project)
    const twin = await people.maintainer.post(`${at}/${old.iid}/clone`, { to_project_id: project.id, with_notes: true })
    expect([twin.body.description, await uploadsOf(project)]).toEqual([image.markdown, before])
    await people.maintainer.post(`${at}/${old.iid}/clone`, { to_project_id: target.id })
    expect(await uploadsOf(target)).toContain('same.png')
    expect(await uploadsOf(target)).not.toContain('noted.png')
  })
})

describe('a move or clone is refused', () => {
  test.each([
    ['move', 'Cannot move issue due to insufficient permissions!'],
    ['clone', 'Cannot clone issue due to insufficient permissions!'],
  ])('%s: without rights, of test cases, without or to an unknown project', async (what, message) => {
    const { iid } = await createdIssue(people.guest, project)
    const path = `${at}/${iid}/${what}`
    const refused = await people.guest.post(path, { to_project_id: target.id })
    expect([refused.status, refused.body]).toEqual([400, { message }])
    const own = await server.make.project(`own-${what}`, people.maintainer)
    const half = await people.guest.post(path, { to_project_id: own.id })
    expect([half.status, half.body]).toEqual([404, { message: '404 Project Not Found' }])
    expect((await people.maintainer.post(path, {})).body.error).toBe('to_project_id is missing')
    const unknown = await people.maintainer.post(`${at}/9999/${what}`, { to_project_id: target.id })
    expect([unknown.status, unknown.body]).toEqual([404, { message: '404 Issue Not Found' }])
    const testCase = await createdIssue(people.maintainer, project, { issue_type: 'test_case' })
    const typed = await people.maintainer.post(`${at}/${testCase.iid}/${what}`, { to_project_id: target.id })
    expect([typed.status, typed.body]).toEqual([400, { message: `Cannot ${what} issues of 'test_case' type.` }])
  })

  test('to the project it is in, for moves', async () => {
    const { iid } = await createdIssue(people.guest, project)
    const { status, body } = await people.maintainer.post(`${at}/${iid}/move`, { to_project_id: project.id })
    expect([status, body]).toEqual([400, { message: 'Cannot move issue to project it originates from!' }])
  })
})

test.each([
  ['#1 and !2, (#3)', 'g/p#1 and g/p!2, (g/p#3)'],
  ['a#1 x/y#2 `#3` #4x &#39; ##5', 'a#1 x/y#2 `#3` #4x &#39; ##5'],
  ['```\n#1\n```\n#2', '```\n#1\n```\ng/p#2'],
])('references in %j are written in full', (text, full) => {
  expect(withFullReferences(text, 'g/p')).toBe(full)
})
