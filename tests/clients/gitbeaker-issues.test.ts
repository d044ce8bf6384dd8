import { Gitlab, type IssueSchema, type MergeRequestSchema, type NoteSchema } from '@gitbeaker/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../src/testing/index.ts'
import { refusal } from './gitbeaker-refusal.ts'
import { anything, date, flag, hex, integer, listOf, orNull, promised, shape, text } from './promised.ts'

/** Walks of issues (contract 16), their resource events (18) and merge requests (19) with gitbeaker. */
type Api = InstanceType<typeof Gitlab<false>>
let server: TestServer
let api: Api
let theirs: Api
let id: number

beforeAll(async () => {
  server = await startTestServer()
  const maintainer = await server.user('maintainer')
  const developer = await server.user('developer')
  const project = await server.make.project('p', maintainer)
  await server.make.member({ project }, developer, 30)
  id = project.id
  api = new Gitlab({ host: server.url, token: maintainer.token })
  theirs = new Gitlab({ host: server.url, token: developer.token })
  await api.RepositoryFiles.create(id, 'a.txt', 'main', 'one\n', 'One')
})
afterAll(() => server?.stop())

const issue = shape<Pick<IssueSchema, 'id' | 'iid' | 'project_id' | 'title' | 'state' | 'labels' | 'created_at'>>({
  ...{ id: integer, iid: integer, project_id: integer, title: text, state: text, labels: listOf(text) },
  created_at: date,
})
const note = shape<Pick<NoteSchema, 'id' | 'body' | 'author' | 'system' | 'created_at' | 'updated_at'>>({
  ...{ id: integer, body: text, author: anything, system: flag, created_at: date, updated_at: date },
})
type Request = Pick<MergeRequestSchema, 'id' | 'iid' | 'title' | 'state' | 'sha' | 'draft' | 'merge_commit_sha'>
const request = shape<Request>({
  ...{ id: integer, iid: integer, title: text, state: text, sha: hex, draft: flag, merge_commit_sha: orNull(hex) },
})

describe('issues', () => {
  test('are created, filtered, changed, discussed and removed', async () => {
    const milestone = await api.ProjectMilestones.create(id, 'v1')
    const made = await promised(
      issue,
      api.Issues.create(id, 'A', { labels: 'bug,ui', milestoneId: milestone.id, weight: 2 }),
    )
    expect(made).toMatchObject({ labels: ['bug', 'ui'], milestone: { title: 'v1' }, weight: 2 })
    expect((await api.ProjectLabels.all(id)).map(({ name }) => name)).toEqual(['bug', 'ui'])
    await promised(issue, theirs.Issues.create(id, 'B'))
    const listed = await promised(listOf(issue), theirs.Issues.all({ projectId: id, labels: 'bug' }))
    expect(listed.map(({ iid }) => iid)).toEqual([made.iid])
    expect(await api.ProjectMilestones.allAssignedIssues(id, milestone.id)).toMatchObject([{ iid: made.iid }])

    const said = await promised(note, theirs.IssueNotes.create(id, made.iid, 'hello'))
    expect((await theirs.IssueNotes.edit(id, made.iid, said.id, { body: 'bye' })).body).toBe('bye')
    const thread = await api.IssueDiscussions.create(id, made.iid, 'why?')
    await theirs.IssueDiscussions.addNote(id, made.iid, thread.id, 'because')
    expect((await api.IssueDiscussions.show(id, made.iid, thread.id)).notes).toHaveLength(2)
    await api.IssueAwardEmojis.award(id, made.iid, 'thumbsup')
    expect(await refusal(api.IssueAwardEmojis.award(id, made.iid, 'thumbsup'))).toBe(404)

    const changed = await api.Issues.edit(id, made.iid, { addLabels: 'late', removeLabels: 'ui', stateEvent: 'close' })
    expect(changed).toMatchObject({ labels: ['bug', 'late'], state: 'closed', upvotes: 1 })
    const events = await api.IssueLabelEvents.all(id, made.iid)
    expect(events.map(({ action, label }) => [action, label.name])).toEqual([
      ['add', 'bug'],
      ['add', 'ui'],
      ['add', 'late'],
      ['remove', 'ui'],
    ])
    expect(await api.IssueMilestoneEvents.all(id, made.iid)).toMatchObject([{ action: 'add' }])
    expect(await api.IssueStateEvents.all(id, made.iid)).toMatchObject([{ state: 'closed' }])
    expect(await refusal(theirs.Issues.remove(id, made.iid))).toBe(403)
    await api.Issues.remove(id, made.iid)
    expect(await refusal(api.Issues.show(made.iid, { projectId: id }))).toBe(404)
  })
})

describe('merge requests', () => {
  test('are created, discussed, approved and merged, and close issues', async () => {
    const toClose = await api.Issues.create(id, 'to close')
    await theirs.Branches.create(id, 'f', 'main')
    await theirs.RepositoryFiles.edit(id, 'a.txt', 'f', 'two\n', 'Two')
    const description = `Closes #${toClose.iid}`
    const made = await promised(
      request,
      theirs.MergeRequests.create(id, 'f', 'main', 'Draft: two', { description, labels: 'bug' }),
    )
    const { iid } = made
    expect(made).toMatchObject({ draft: true, labels: ['bug'] })
    expect(await refusal(theirs.MergeRequests.create(id, 'f', 'main', 'again'))).toBe(409)
    expect(await theirs.MergeRequests.allDiffs(id, iid)).toMatchObject([{ new_path: 'a.txt' }])
    expect(await theirs.MergeRequests.allIssuesClosed(id, iid)).toMatchObject([{ iid: toClose.iid }])
    await promised(note, theirs.MergeRequestNotes.create(id, iid, 'hello'))
    const thread = await api.MergeRequestDiscussions.create(id, iid, 'why?')
    await api.MergeRequestDiscussions.resolve(id, iid, thread.id, true)

    expect(await refusal(api.MergeRequests.merge(id, iid))).toBe(405)
    await theirs.MergeRequests.edit(id, iid, { title: 'two' })
    expect(await refusal(theirs.MergeRequestApprovals.approve(id, iid))).toBe(401)
    await api.MergeRequestApprovals.approve(id, iid)
    expect(await refusal(api.MergeRequests.merge(id, iid, { sha: '0'.repeat(40) }))).toBe(409)
    const merged = await promised(request, api.MergeRequests.merge(id, iid, { sha: made.sha }))
    expect(merged.state).toBe('merged')
    expect((await api.Commits.show(id, merged.merge_commit_sha ?? '')).parent_ids).toHaveLength(2)
    await server.app.platform.jobs.drain()
    expect(await api.Issues.show(toClose.iid, { projectId: id })).toMatchObject({ state: 'closed' })
    expect(await api.MergeRequestLabelEvents.all(id, iid)).toMatchObject([{ action: 'add', label: { name: 'bug' } }])
  })
})
