import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  makePeople,
  type People,
  projectWithTwoCommits,
  startTestServer,
  type TestServer,
} from '../../../testing/index.ts'
import { exportedArchive, filesOf, imported, type Line, linesIn } from '../testing.ts'

let server: TestServer
let people: People
let place: string
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  const { project } = await projectWithTwoCommits(server, { people, path: 'whole' })
  place = `/projects/${project.id}`
  const settings = { project_export_limit: 0, project_download_export_limit: 0, project_import_limit: 0 }
  await server.root.put('/application/settings', settings)
})
afterAll(() => server.stop())

async function ask(client: Line, method: 'post' | 'put' | 'delete', path: string, body?: unknown): Promise<Line> {
  const answer = await client[method](`${place}${path}`, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

const content = Buffer.from('the content of a large file')
const oid = createHash('sha256').update(content).digest('hex')

/** Fills the project with every kind of row that an archive has. */
async function fill(): Promise<void> {
  const { owner, maintainer, developer, reporter } = people
  await ask(maintainer, 'post', '/labels', { name: 'ui', color: '#112233', description: 'Of pages', priority: 2 })
  await ask(maintainer, 'post', '/labels', { name: 'api', color: '#aabbcc' })
  const first = { title: 'First', description: 'one', start_date: '2026-01-01', due_date: '2026-02-01' }
  const milestone = await ask(maintainer, 'post', '/milestones', first)
  await ask(maintainer, 'post', '/milestones', { title: 'Second' })
  await ask(maintainer, 'put', `/milestones/${milestone.id + 1}`, { state_event: 'close' })
  const board = await ask(maintainer, 'post', '/boards', { name: 'Work' })
  const { body: labels } = await maintainer.get(`${place}/labels`)
  for (const { id } of labels) await ask(maintainer, 'post', `/boards/${board.id}/lists`, { label_id: id })
  await ask(maintainer, 'post', '/badges', {
    name: 'b',
    link_url: 'https://x/%{project_path}',
    image_url: 'https://x/i.svg',
  })
  const issue = await ask(reporter, 'post', '/issues', {
    title: 'An issue',
    description: 'Text of `code`',
    labels: 'ui',
  })
  await ask(maintainer, 'put', `/issues/${issue.iid}`, {
    ...{ add_labels: 'api', remove_labels: 'ui', milestone_id: milestone.id, assignee_ids: [developer.id] },
    ...{ weight: 3, due_date: '2026-05-05', confidential: true, discussion_locked: false },
  })
  await ask(developer, 'post', `/issues/${issue.iid}/notes`, { body: 'A **comment**' })
  const thread = await ask(developer, 'post', `/issues/${issue.iid}/discussions`, { body: 'A thread' })
  await ask(maintainer, 'post', `/issues/${issue.iid}/discussions/${thread.id}/notes`, { body: 'A reply' })
  await ask(developer, 'post', `/issues/${issue.iid}/notes/${thread.notes[0].id}/award_emoji`, { name: 'tada' })
  await ask(developer, 'post', `/issues/${issue.iid}/award_emoji`, { name: 'thumbsup' })
  await ask(maintainer, 'post', `/issues/${issue.iid}/time_estimate`, { duration: '3h' })
  await ask(maintainer, 'post', `/issues/${issue.iid}/add_spent_time`, { duration: '90m' })
  const closed = await ask(reporter, 'post', '/issues', { title: 'A closed incident', issue_type: 'incident' })
  await ask(maintainer, 'put', `/issues/${closed.iid}`, { state_event: 'close' })
  const actions = (file_path: string) => [{ action: 'create', file_path, content: file_path }]
  const commit = (branch: string) =>
    ask(developer, 'post', '/repository/commits', {
      ...{ branch, start_branch: 'main', commit_message: `Add ${branch}`, actions: actions(`${branch}.txt`) },
    })
  for (const branch of ['open', 'merged', 'closed']) await commit(branch)
  const request = (branch: string) =>
    ask(developer, 'post', '/merge_requests', {
      ...{ title: branch, source_branch: branch, target_branch: 'main', description: `The ${branch} one` },
      ...{ reviewer_ids: [maintainer.id], labels: 'ui', milestone_id: milestone.id },
    })
  const open = await request('open')
  const merged = await request('merged')
  const other = await request('closed')
  await ask(maintainer, 'post', `/merge_requests/${open.iid}/approve`)
  await ask(maintainer, 'post', `/merge_requests/${open.iid}/notes`, { body: 'Well done' })
  const { base_sha, start_sha, head_sha } = open.diff_refs
  const position = {
    position_type: 'text',
    base_sha,
    start_sha,
    head_sha,
    new_path: 'open.txt',
    old_path: 'open.txt',
    new_line: 1,
  }
  const line = await ask(maintainer, 'post', `/merge_requests/${open.iid}/discussions`, { body: 'This line', position })
  await ask(maintainer, 'put', `/merge_requests/${open.iid}/discussions/${line.id}`, { resolved: true })
  await ask(maintainer, 'put', `/merge_requests/${merged.iid}/merge`, { should_remove_source_branch: true })
  await ask(maintainer, 'put', `/merge_requests/${other.iid}`, { state_event: 'close' })
  await ask(maintainer, 'post', '/repository/tags', { tag_name: 'v1', ref: 'main', message: 'The first' })
  const link = { name: 'page', url: 'https://example.com/page', link_type: 'runbook' }
  const release = { tag_name: 'v1', name: 'One', description: 'New', milestones: ['First'], assets: { links: [link] } }
  await ask(maintainer, 'post', '/releases', release)
  const snippet = { title: 'S', description: 'Of two files', visibility: 'private' }
  const files = ['a.txt', 'dir/b.txt'].map((file_path) => ({ file_path, content: file_path }))
  const { id } = await ask(developer, 'post', '/snippets', { ...snippet, files })
  await ask(reporter, 'post', `/snippets/${id}/notes`, { body: 'On a snippet' })
  const { body: head } = await maintainer.get(`${place}/repository/commits/main`)
  await ask(maintainer, 'post', `/statuses/${head.id}`, { state: 'success', name: 'ci/check', coverage: 98.5 })
  await ask(developer, 'post', `/repository/commits/${head.id}/comments`, { note: 'On a commit' })
  await ask(maintainer, 'post', '/pipeline_schedules', { description: 'Nightly', ref: 'main', cron: '0 1 * * *' })
  await ask(maintainer, 'post', '/protected_branches', {
    ...{ name: 'release/*', push_access_level: 0, merge_access_level: 40 },
    allowed_to_merge: [{ user_id: developer.id }],
  })
  await ask(maintainer, 'post', '/protected_tags', { name: 'v*', create_access_level: 40 })
  await ask(maintainer, 'post', '/push_rule', { commit_message_regex: '.', max_file_size: 5 })
  await ask(maintainer, 'post', '/approval_rules', { name: 'Two', approvals_required: 2, user_ids: [maintainer.id] })
  await ask(maintainer, 'put', '', { snippets_access_level: 'private', merge_method: 'ff', squash_option: 'always' })
  await ask(owner, 'put', '', {
    ...{ description: 'All of it', build_timeout: 1200, ci_default_git_depth: 7, default_branch: 'open' },
  })
  await ask(maintainer, 'post', '/wikis', { title: 'home', content: 'welcome' })
  const form = new FormData()
  form.append('file', new Blob(['bytes of the file']), 'a b.txt')
  const upload = await ask(developer, 'post', '/uploads', form)
  await ask(developer, 'post', '/issues', { title: 'With a file', description: upload.markdown })
  const path = (await owner.get(place)).body.path_with_namespace
  const login = Buffer.from(`root:${server.rootToken}`).toString('base64')
  const stored = await fetch(`${server.url}/${path}.git/gitlab-lfs/objects/${oid}/${content.length}`, {
    method: 'PUT',
    headers: { Authorization: `Basic ${login}`, 'Content-Type': 'application/octet-stream' },
    body: content,
  })
  expect(stored.status).toBe(200)
}

/** Members of lines that are of the server or of the export, and none of what is exported. */
const own = new Set(['project_id', 'source_project_id', 'target_project_id', 'discussion_id', 'next_run_at', 'events'])

/** Relations of one line that has the times of the project. */
const ofProject = new Set(['auto_devops', 'container_expiration_policy', 'project_feature', 'security_setting'])

function plain(value: Line): Line {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (own.has(key) ? [] : [[key, plain(member)]])),
  )
}

test('a project that is exported and imported has the same lines', async () => {
  await fill()
  const archive = await exportedArchive(server, server.root, place)
  const state = await imported(server, server.root, archive, { path: 'again', namespace: 'owner' })
  expect(state).toMatchObject({ import_status: 'finished', import_error: null, failed_relations: [] })
  const before = filesOf(archive)
  const after = filesOf(await exportedArchive(server, server.root, `/projects/${state.id}`))
  const relations = [...before.keys()].flatMap((path) => /^tree\/project\/(\w+)\.ndjson$/.exec(path)?.[1] ?? [])
  expect(relations.length).toBeGreaterThan(20)
  for (const relation of relations) {
    // The importer owns the schedules.
    if (relation === 'user_contributions') continue
    const [was = [], is = []] = [before, after].map((files) => linesIn(files, relation).map(plain))
    if (relation === 'pipeline_schedules') for (const line of was) Object.assign(line, { active: false, owner_id: 1 })
    if (ofProject.has(relation))
      for (const line of [...was, ...is]) Object.assign(line, { created_at: 0, updated_at: 0 })
    // The owner of the namespace is a member from the beginning.
    if (relation === 'project_members') for (const lines of [was, is]) Object.assign(lines[0], { created_at: 0 })
    expect(is, relation).toEqual(was)
  }
  expect(JSON.parse(String(after.get('tree/project.json')))).toEqual(
    JSON.parse(String(before.get('tree/project.json'))),
  )
  const contents = (files: ReadonlyMap<string, Buffer>) =>
    [...files]
      .filter(([path]) => /^(?:uploads|lfs-objects)/.test(path))
      .map(([path, bytes]) => [path, bytes.toString()])
  expect(contents(after)).toEqual(contents(before))
  expect(contents(after).map(([path]) => path)).toContain(`lfs-objects/${oid}`)
})
