import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Hooked, startWithReceiver } from '../testing.ts'

let given: Hooked
let base: string
beforeAll(async () => {
  given = await startWithReceiver()
  base = `/projects/${given.project.id}`
  await given.commit('first')
})
afterAll(() => given.stop())
beforeEach(() => given.clear())

const all = {
  push_events: false,
  issues_events: true,
  confidential_issues_events: true,
  note_events: true,
  confidential_note_events: true,
  merge_requests_events: true,
  emoji_events: true,
}

/** The events that came since the last call, each with its header. */
async function came() {
  const payloads = await given.payloads()
  const headers = given.receiver.received.map(({ headers }) => headers['x-gitlab-event'])
  given.receiver.received.length = 0
  return payloads.map((payload, at) => ({ header: headers[at], payload }))
}

test('issues tell what was changed', async () => {
  const { owner, hook, server, project } = given
  await hook(all)
  const member = await server.user('member')
  await server.make.member({ project }, member, 30)
  const { body: issue } = await owner.post(`${base}/issues`, { title: 'Broken', labels: 'bug', description: 'It is.' })
  const [opened] = await came()
  const url = `${server.url}/${project.full_path}`
  expect(opened?.header).toBe('Issue Hook')
  expect(opened?.payload).toMatchObject({
    object_kind: 'issue',
    event_type: 'issue',
    user: { id: owner.id, username: 'owner', name: 'owner person', email: '[REDACTED]' },
    project: { id: project.id, path_with_namespace: project.full_path, web_url: url },
    object_attributes: {
      id: issue.id,
      iid: 1,
      title: 'Broken',
      description: 'It is.',
      state: 'opened',
      state_id: 1,
      action: 'open',
      type: 'Issue',
      url: `${url}/-/issues/1`,
      labels: [{ title: 'bug', type: 'ProjectLabel', project_id: project.id }],
      assignee_ids: [],
      total_time_spent: 0,
      human_total_time_spent: null,
    },
    labels: [{ title: 'bug' }],
    changes: { title: { previous: null, current: 'Broken' }, labels: { previous: [], current: [{ title: 'bug' }] } },
    repository: { name: 'code', homepage: url },
    assignees: [],
  })
  const change = { title: 'Fixed', add_labels: 'done', remove_labels: 'bug', assignee_ids: [member.id] }
  await owner.put(`${base}/issues/1`, change)
  await owner.put(`${base}/issues/1`, { title: 'Fixed' })
  const [updated, ...none] = await came()
  expect(none).toEqual([])
  expect(updated?.payload).toMatchObject({
    object_attributes: { action: 'update', title: 'Fixed', assignee_ids: [member.id], assignee_id: member.id },
    changes: {
      title: { previous: 'Broken', current: 'Fixed' },
      labels: { previous: [{ title: 'bug' }], current: [{ title: 'done' }] },
      assignees: { previous: [], current: [{ username: 'member' }] },
    },
    assignees: [{ id: member.id }],
    assignee: { id: member.id },
  })
  expect(Object.keys(updated?.payload.changes)).not.toContain('description')
  await owner.put(`${base}/issues/1`, { state_event: 'close' })
  await owner.put(`${base}/issues/1`, { state_event: 'reopen' })
  await owner.put(`${base}/issues/1`, { confidential: true })
  await owner.put(`${base}/issues/1`, { issue_type: 'incident' })
  const rest = await came()
  expect(rest.map(({ header, payload }) => [header, payload.object_kind, payload.object_attributes.action])).toEqual([
    ['Issue Hook', 'issue', 'close'],
    ['Issue Hook', 'issue', 'reopen'],
    ['Confidential Issue Hook', 'issue', 'update'],
    ['Confidential Issue Hook', 'work_item', 'update'],
  ])
  expect(rest[0]?.payload.changes).toMatchObject({
    state_id: { previous: 1, current: 2 },
    closed_at: { previous: null, current: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/) },
  })
  expect(rest[2]?.payload.event_type).toBe('confidential_issue')
})

test('hooks without the confidential events hear nothing of confidential issues', async () => {
  const { owner, hook } = given
  await hook({ ...all, confidential_issues_events: false, confidential_note_events: false })
  const { body: issue } = await owner.post(`${base}/issues`, { title: 'Secret', confidential: true })
  await owner.post(`${base}/issues/${issue.iid}/notes`, { body: 'hidden' })
  const { body: open } = await owner.post(`${base}/issues`, { title: 'Open' })
  await owner.post(`${base}/issues/${open.iid}/notes`, { body: 'hidden', internal: true })
  await owner.post(`${base}/issues/${open.iid}/notes`, { body: 'shown' })
  const told = await came()
  expect(told.map(({ header }) => header)).toEqual(['Issue Hook', 'Note Hook'])
  expect(JSON.stringify(told)).not.toMatch(/Secret|hidden/)
})

test('hooks for comments and reactions show their target', async () => {
  const { owner, hook, commit, project } = given
  await hook(all)
  const { id: sha } = await commit('commented')
  const { body: issue } = await owner.post(`${base}/issues`, { title: 'Talk', confidential: true })
  await came()
  const notes = `${base}/issues/${issue.iid}/notes`
  const { body: note } = await owner.post(notes, { body: 'Hello' })
  await owner.put(`${notes}/${note.id}`, { body: 'Hello again' })
  await owner.post(`${base}/repository/commits/${sha}/comments`, { note: 'Nice' })
  const { body: award } = await owner.post(`${notes}/${note.id}/award_emoji`, { name: 'thumbsup' })
  await owner.delete(`${notes}/${note.id}/award_emoji/${award.id}`)
  const told = await came()
  expect(told.map(({ header, payload }) => [header, payload.event_type, payload.object_attributes.action])).toEqual([
    ['Confidential Note Hook', 'confidential_note', 'create'],
    ['Confidential Note Hook', 'confidential_note', 'update'],
    ['Note Hook', 'note', 'create'],
    ['Emoji Hook', 'award', 'award'],
    ['Emoji Hook', 'revoke', 'revoke'],
  ])
  const url = expect.stringContaining(`/${project.full_path}/-/issues/${issue.iid}#note_${note.id}`)
  expect(told[0]?.payload).toMatchObject({
    object_kind: 'note',
    project_id: project.id,
    object_attributes: {
      id: note.id,
      note: 'Hello',
      noteable_type: 'Issue',
      noteable_id: issue.id,
      system: false,
      url,
    },
    issue: { id: issue.id, iid: issue.iid, title: 'Talk', confidential: true },
  })
  expect(told[2]?.payload).toMatchObject({
    object_attributes: { note: 'Nice', noteable_type: 'Commit', noteable_id: null, commit_id: sha },
    commit: { id: sha, title: 'Add commented', author: { name: 'owner person', email: 'owner@example.com' } },
  })
  expect(told[3]?.payload).toMatchObject({
    object_attributes: { name: 'thumbsup', awardable_type: 'Note', awardable_id: note.id, awarded_on_url: url },
    note: { id: note.id, note: 'Hello again' },
    issue: { iid: issue.iid },
  })
})

test('merge requests tell from opening to merging, also hooks of the instance', async () => {
  const { owner, hook, commit, systemHook, settle } = given
  await hook(all)
  const first = await commit('feature', 'feature')
  const create = { source_branch: 'feature', target_branch: 'main', title: 'Feature', labels: 'new' }
  const { body: request } = await owner.post(`${base}/merge_requests`, create)
  const one = `${base}/merge_requests/${request.iid}`
  const second = await commit('more', 'feature')
  await settle()
  await owner.put(one, { title: 'Draft: Feature', reviewer_ids: [owner.id] })
  await owner.put(one, { title: 'Feature', state_event: 'close' })
  await owner.put(one, { state_event: 'reopen' })
  await owner.post(`${one}/notes`, { body: 'Good' })
  await owner.post(`${one}/approve`)
  await owner.post(`${one}/unapprove`)
  expect((await owner.put(`${one}/merge`)).status).toBe(200)
  const told = await came()
  const requests = told.filter(({ header }) => header === 'Merge Request Hook').map(({ payload }) => payload)
  const actions = requests.map(({ object_attributes }) => object_attributes.action)
  expect(actions.filter((action) => !/approved/.test(action))).toEqual([
    'open',
    'update',
    'update',
    'close',
    'reopen',
    'merge',
  ])
  expect(requests[0]).toMatchObject({
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: { id: owner.id },
    object_attributes: {
      iid: request.iid,
      source_branch: 'feature',
      target_branch: 'main',
      state: 'opened',
      draft: false,
      work_in_progress: false,
      source: { path_with_namespace: given.project.full_path },
      last_commit: { id: first.id, title: 'Add feature', author: { email: 'owner@example.com' } },
      url: expect.stringContaining(`/-/merge_requests/${request.iid}`),
    },
    labels: [{ title: 'new' }],
    changes: { title: { previous: null, current: 'Feature' } },
  })
  expect(requests[1]?.object_attributes).toMatchObject({ oldrev: first.id, last_commit: { id: second.id } })
  expect(requests[2]).toMatchObject({
    changes: {
      title: { previous: 'Feature', current: 'Draft: Feature' },
      draft: { previous: false, current: true },
      reviewers: { previous: [], current: [{ id: owner.id }] },
    },
    reviewers: [{ id: owner.id }],
  })
  expect(requests.at(-1)?.object_attributes).toMatchObject({ state: 'merged', state_id: 3, action: 'merge' })
  const note = told.find(({ header }) => header === 'Note Hook')?.payload
  expect(note).toMatchObject({ merge_request: { iid: request.iid, last_commit: { id: second.id } } })
  await systemHook({ merge_requests_events: true, repository_update_events: false })
  await owner.put(one, { description: 'Done' })
  const last = (await came()).map(({ header, payload }) => [header, payload.object_kind])
  expect(last.sort()).toEqual([
    ['Merge Request Hook', 'merge_request'],
    ['System Hook', 'merge_request'],
  ])
})
