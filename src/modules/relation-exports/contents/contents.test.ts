/** What the files of each relation contain, compared with the API. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  makePeople,
  openWorkTree,
  type People,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { makeIteration } from '../../iterations/testing.ts'
import { relationsOf } from '../relations.ts'
import { addIssues, entriesOf, exported, type Line, linesOf } from '../testing.ts'

let server: TestServer
let people: People
let place: string
let groupPlace: string
let projectId: number
let groupId: number
let issueIid: number
let sha: string
let statuses: Awaited<ReturnType<typeof exported>>
const lines = new Map<string, Line[]>()

/** The answer of a request that must succeed. */
async function made(request: Promise<Answer>): Promise<Line> {
  const { status, body } = await request
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

async function addPlans() {
  const { maintainer, owner } = people
  await made(maintainer.post(`${place}/labels`, { name: 'bug', color: '#ff0000', priority: 3 }))
  await made(owner.post(`${groupPlace}/labels`, { name: 'of-group', color: '#00ff00' }))
  await made(server.root.put(`${place}/custom_attributes/team`, { value: 'blue' }))
  await made(maintainer.post(`${place}/milestones`, { title: 'v1', due_date: '2026-05-01' }))
  await made(owner.post(`${groupPlace}/milestones`, { title: 'quarter' }))
}

async function addIssue(milestoneId: number) {
  const { maintainer, developer } = people
  const given = {
    title: 'The issue',
    description: 'Text',
    labels: 'bug,of-group',
    milestone_id: milestoneId,
    weight: 3,
  }
  const issue = await made(
    maintainer.post(`${place}/issues`, { ...given, assignee_ids: [developer.id], confidential: true }),
  )
  issueIid = issue.iid
  const at = `${place}/issues/${issue.iid}`
  await made(developer.post(`${at}/notes`, { body: 'A comment' }))
  await made(developer.post(`${at}/award_emoji`, { name: 'rocket' }))
  await made(maintainer.post(`${at}/time_estimate?duration=1h`))
  await made(maintainer.post(`${at}/add_spent_time?duration=30m`))
  await made(maintainer.put(at, { state_event: 'close' }))
  const epic = await made(people.owner.post(`${groupPlace}/epics`, { title: 'An epic', labels: 'of-group' }))
  await made(people.owner.post(`${groupPlace}/epics/${epic.iid}/issues/${issue.id}`))
  await addIssues(server.app.platform.database, projectId, people.reporter.id, 100, 3)
}

async function addCode(milestoneTitle: string) {
  const { owner, maintainer, developer } = people
  const request = { source_branch: 'topic', target_branch: 'main', title: 'Merge topic', reviewer_ids: [maintainer.id] }
  const merge = await made(developer.post(`${place}/merge_requests`, request))
  await made(maintainer.post(`${place}/merge_requests/${merge.iid}/approve`))
  await made(maintainer.post(`${place}/merge_requests/${merge.iid}/notes`, { body: 'Looks good' }))
  const { body: head } = await owner.get(`${place}/repository/commits/main`)
  sha = head.id
  await made(developer.post(`${place}/repository/commits/${sha}/comments`, { note: 'On a commit' }))
  await made(maintainer.post(`${place}/statuses/${sha}`, { state: 'success', name: 'ci/one', ref: 'main' }))
  const release = { tag_name: 'v1', ref: 'main', name: 'One', description: 'First', milestones: [milestoneTitle] }
  const assets = { links: [{ name: 'file', url: 'https://example.com/file' }] }
  await made(maintainer.post(`${place}/releases`, { ...release, assets }))
  const schedule = { description: 'Nightly', ref: 'main', cron: '0 1 * * *' }
  const { id } = await made(maintainer.post(`${place}/pipeline_schedules`, schedule))
  await made(maintainer.post(`${place}/pipeline_schedules/${id}/variables`, { key: 'SECRET', value: 'hidden value' }))
  await made(maintainer.post(`${place}/protected_branches`, { name: 'stable-*', push_access_level: 40 }))
  await made(maintainer.post(`${place}/protected_tags`, { name: 'v*', create_access_level: 40 }))
  await made(maintainer.post(`${place}/push_rule`, { commit_message_regex: 'Fixes' }))
  await made(
    maintainer.post(`${place}/approval_rules`, { name: 'Two eyes', approvals_required: 1, user_ids: [owner.id] }),
  )
}

async function addFiles() {
  const { owner, developer } = people
  const form = () => {
    const data = new FormData()
    data.append('file', new Blob(['bytes']), 'a.txt')
    return data
  }
  await made(developer.post(`${place}/uploads`, form()))
  await made(developer.post(`${groupPlace}/uploads`, form()))
  const snippet = { title: 'A snippet', visibility: 'private', files: [{ file_path: 'a.rb', content: 'puts 1\n' }] }
  await made(developer.post(`${place}/snippets`, snippet))
  const content = 'large file'
  const oid = createHash('sha256').update(content).digest('hex')
  const stored = await fetch(`${server.url}/lfs-group/contents.git/gitlab-lfs/objects/${oid}/${content.length}`, {
    method: 'PUT',
    headers: { Authorization: `Basic ${Buffer.from(`${owner.username}:${owner.token}`).toString('base64')}` },
    body: content,
  })
  expect(stored.status).toBe(200)
}

beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  const group = await server.make.group('lfs-group', people.owner)
  groupId = group.id
  groupPlace = `/groups/${group.id}`
  await server.make.member({ namespace: group }, people.developer, 30)
  const { project } = await projectWithMembers(server, { people, namespace: group, path: 'contents' })
  projectId = project.id
  place = `/projects/${project.id}`
  await using tree = await openWorkTree(server, project)
  await tree.commit('one', { 'one.txt': 'one' })
  await tree.push(people.owner, 'main')
  await tree.run('checkout', '--quiet', '-b', 'topic')
  await tree.commit('two', { 'two.txt': 'two' })
  await tree.push(people.owner, 'topic')
  await addPlans()
  const [milestone] = (await people.owner.get(`${place}/milestones`)).body
  await addIssue(milestone.id)
  await addCode(milestone.title)
  await addFiles()
  statuses = await exported(server, people.owner, place)
  for (const { name, form } of relationsOf('project')) {
    if (form !== 'archive') lines.set(name, await linesOf(people.maintainer, place, name))
  }
})
afterAll(() => server.stop())

const of = (relation: string): Line[] => lines.get(relation) ?? []
const countAt = async (path: string) => {
  const { headers, body } = await people.owner.get(`${place}/${path}`)
  return Number(headers.get('x-total') ?? body.length)
}

test('every relation is finished, and says how many objects it has', async () => {
  for (const relation of relationsOf('project')) {
    expect([relation.name, statuses.get(relation.name)]).toMatchObject([relation.name, { status: 1, error: null }])
    const count = statuses.get(relation.name)?.total_objects_count
    if (relation.form !== 'archive') expect([relation.name, of(relation.name).length]).toEqual([relation.name, count])
  }
})

test.each([
  ['labels', 'labels?include_ancestor_groups=false'],
  ['milestones', 'milestones'],
  ['issues', 'issues?scope=all'],
  ['snippets', 'snippets'],
  ['releases', 'releases'],
  ['merge_requests', 'merge_requests?scope=all'],
  ['ci_pipelines', 'pipelines'],
  ['pipeline_schedules', 'pipeline_schedules'],
  ['protected_branches', 'protected_branches'],
  ['protected_tags', 'protected_tags'],
  ['approval_rules', 'approval_rules'],
  ['uploads', 'uploads'],
])('there are as many %s as in the API', async (relation, path) => {
  const count = await countAt(path)
  expect(count).toBeGreaterThan(0)
  expect(statuses.get(relation)?.total_objects_count).toBe(count)
})

test('the others have as many rows as their kind', () => {
  const counts = (names: string[]) => names.map((name) => [name, statuses.get(name)?.total_objects_count])
  const single = [
    ...['self', 'auto_devops', 'container_expiration_policy', 'project_feature', 'ci_cd_settings', 'security_setting'],
    ...['push_rule', 'repository', 'commit_notes', 'lfs_objects'],
  ]
  expect(counts(single)).toEqual(single.map((name) => [name, 1]))
  const none = ['external_pull_requests', 'error_tracking_setting', 'service_desk_setting', 'vulnerabilities', 'design']
  expect(counts(none)).toEqual(none.map((name) => [name, 0]))
})

describe('no line', () => {
  test('has an id of its own, or the name or path of the project', () => {
    for (const [relation, own] of lines) {
      if (relation !== 'user_contributions')
        expect([relation, own.filter((line) => 'id' in line)]).toEqual([relation, []])
    }
    expect(of('self')[0]).not.toHaveProperty('name')
    expect(of('self')[0]).not.toHaveProperty('path')
  })

  test('has a secret', () => {
    const text = JSON.stringify([...lines])
    expect(text).not.toMatch(/hidden value|sealed|digest|token"|password/)
  })
})

test('an issue has what belongs to it', () => {
  const issue = of('issues').find(({ iid }) => iid === issueIid)
  const { owner, developer, maintainer } = people
  expect(issue).toMatchObject({
    ...{ title: 'The issue', description: 'Text', state: 'closed', confidential: true, weight: 3 },
    ...{ author_id: maintainer.id, closed_by_id: maintainer.id, project_id: projectId, time_estimate: 3600 },
    issue_assignees: [{ user_id: developer.id }],
    milestone: { title: 'v1', due_date: '2026-05-01', project_id: projectId },
    label_links: [
      { label: { title: 'bug', type: 'ProjectLabel', priorities: [{ project_id: projectId, priority: 3 }] } },
      { label: { title: 'of-group', type: 'GroupLabel', group_id: groupId, priorities: [] } },
    ],
    award_emoji: [{ name: 'rocket', user_id: developer.id }],
    timelogs: [{ time_spent: 1800, user_id: maintainer.id }],
    resource_state_events: [{ state: 'closed', user_id: maintainer.id }],
    work_item_type: { base_type: 'issue' },
    epic_issue: { epic: { title: 'An epic', author_id: owner.id } },
    iteration: null,
  })
  expect(issue.resource_label_events.map(({ label }: Line) => label.title).sort()).toEqual(['bug', 'of-group'])
  expect(issue.resource_milestone_events).toMatchObject([{ action: 'add', milestone: { title: 'v1' } }])
  const [comment] = issue.notes.filter(({ system }: Line) => !system)
  expect(comment).toMatchObject({ note: 'A comment', author_id: developer.id, author: { name: 'developer person' } })
})

test('an epic of a group that the caller cannot read is left out', async () => {
  await exported(server, people.maintainer, place)
  const [issue] = await linesOf(people.maintainer, place, 'issues')
  expect(issue).toMatchObject({ iid: issueIid, epic_issue: null })
})

test('issues are in their manual order', async () => {
  const iids = (await people.owner.get(`${place}/issues?scope=all&order_by=relative_position&sort=asc`)).body
  expect(of('issues').map(({ iid }) => iid)).toEqual(iids.map(({ iid }: Line) => iid))
})

test('what belongs to the code', () => {
  const { owner, developer, maintainer } = people
  expect(of('merge_requests')[0]).toMatchObject({
    ...{
      title: 'Merge topic',
      source_branch: 'topic',
      target_branch: 'main',
      state: 'opened',
      author_id: developer.id,
    },
    ...{ source_project_id: projectId, target_branch_sha: sha },
    approvals: [{ user_id: maintainer.id }],
    merge_request_reviewers: [{ user_id: maintainer.id }],
    merge_request_diff: { head_commit_sha: of('merge_requests')[0].diff_head_sha, commits_count: 1, files_count: 1 },
  })
  expect(of('merge_requests')[0].notes.map(({ note }: Line) => note)).toContain('Looks good')
  expect(of('commit_notes')).toMatchObject([{ note: 'On a commit', commit_id: sha, author_id: developer.id }])
  expect(of('ci_pipelines')[0]).toMatchObject({
    ...{ ref: 'main', sha, source: 'external', status: 'success' },
    stages: [{ name: 'external', builds: [{ name: 'ci/one', type: 'GenericCommitStatus' }] }],
  })
  expect(of('releases')[0]).toMatchObject({
    ...{ tag: 'v1', name: 'One', description: 'First', sha, author_id: maintainer.id },
    links: [{ name: 'file', url: 'https://example.com/file' }],
    milestone_releases: [{ milestone: { title: 'v1' } }],
  })
  expect(of('pipeline_schedules')[0]).toMatchObject({
    description: 'Nightly',
    cron: '0 1 * * *',
    owner_id: maintainer.id,
  })
  const branch = of('protected_branches').find(({ name }) => name === 'stable-*')
  expect(branch).toMatchObject({ push_access_levels: [{ access_level: 40, user_id: null }], allow_force_push: false })
  expect(of('protected_tags')[0]).toMatchObject({ name: 'v*', create_access_levels: [{ access_level: 40 }] })
  expect(of('push_rule')[0]).toMatchObject({ commit_message_regex: 'Fixes', project_id: projectId })
  const rule = of('approval_rules').find(({ name }) => name === 'Two eyes')
  expect(rule).toMatchObject({ approvals_required: 1, users: [{ user_id: owner.id }] })
})

test('settings and files', async () => {
  expect(of('self')[0]).toMatchObject({
    visibility_level: 0,
    archived: false,
    build_timeout: 3600,
    merge_method: 'merge',
  })
  expect(of('custom_attributes')).toMatchObject([{ key: 'team', value: 'blue', project_id: projectId }])
  expect(of('project_feature')[0]).toMatchObject({ issues_access_level: 20, pages_access_level: 10 })
  expect(of('snippets')[0]).toMatchObject({
    ...{ title: 'A snippet', content: 'puts 1\n', file_name: 'a.rb', visibility_level: 0 },
    ...{ notes: [], award_emoji: [] },
  })
  const lfs = await entriesOf(people.maintainer, place, 'lfs_objects')
  const oid = createHash('sha256').update('large file').digest('hex')
  expect(lfs.get(oid)?.toString()).toBe('large file')
  expect(JSON.parse(String(lfs.get('lfs_objects.json')))).toEqual({ [oid]: [0] })
})

test('every user to whom a line refers is among the contributors', () => {
  const contributors = new Set(of('user_contributions').map(({ id }) => id))
  const { owner, maintainer, developer, reporter } = people
  expect([...contributors].sort()).toEqual([owner.id, maintainer.id, developer.id, reporter.id].sort())
})

test('a group', async () => {
  await made(
    people.owner.put(groupPlace, { description: 'Of the group', prevent_sharing_groups_outside_hierarchy: true }),
  )
  await makeIteration(server, { id: groupId }, { start_date: '2026-01-01', due_date: '2026-01-14' }, { title: 'First' })
  const own = await exported(server, people.owner, groupPlace)
  expect([...own.values()].filter(({ status }) => status !== 1)).toEqual([])
  const linesAt = (relation: string) => linesOf(people.owner, groupPlace, relation)
  expect(await linesAt('self')).toMatchObject([{ description: 'Of the group', visibility_level: 0 }])
  expect(await linesAt('namespace_settings')).toEqual([{ prevent_sharing_groups_outside_hierarchy: true }])
  expect(await linesAt('labels')).toMatchObject([{ title: 'of-group' }])
  expect(await linesAt('milestones')).toMatchObject([{ title: 'quarter', group_id: groupId, events: [] }])
  expect(await linesAt('epics')).toMatchObject([
    { title: 'An epic', author_id: people.owner.id, parent: null, label_links: [{ label: { title: 'of-group' } }] },
  ])
  expect(await linesAt('iterations_cadences')).toMatchObject([
    { title: 'Cadence', group_id: groupId, iterations: [{ title: 'First', start_date: '2026-01-01', sequence: 1 }] },
  ])
  expect([...(await entriesOf(people.owner, groupPlace, 'uploads')).values()].map(String)).toEqual(['bytes'])
  expect((await linesAt('user_contributions')).map(({ id }) => id)).toContain(people.owner.id)
})
