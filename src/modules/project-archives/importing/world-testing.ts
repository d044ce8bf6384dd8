/** A project with every kind of row that an archive has, made by the API. */
import { createHash } from 'node:crypto'
import type { Client, People, TestServer } from '../../../testing/index.ts'
import type { Line } from '../testing.ts'

const content = Buffer.from('the content of a large file')

/** The large file (LFS) of the project. */
export const largeFileOid = createHash('sha256').update(content).digest('hex')

/** The world of a test, and the address of its project in the API. */
export type Filled = { server: Pick<TestServer, 'root' | 'url' | 'rootToken'>; people: People; place: string }

type Ask = (client: Client, method: 'post' | 'put' | 'delete', path: string, body?: unknown) => Promise<Line>

/** @throws Error when the server refuses */
function asking(place: string): Ask {
  return async (client, method, path, body) => {
    const answer = await client.request(method.toUpperCase(), `${place}${path}`, { body })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
}

/** Fills a project of two commits with every kind of row that an archive has. */
export async function fillProject({ server, people, place }: Filled): Promise<void> {
  const ask = asking(place)
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
  const praise = await ask(maintainer, 'post', `/merge_requests/${open.iid}/notes`, { body: 'Well done' })
  await ask(developer, 'post', `/merge_requests/${open.iid}/notes/${praise.id}/award_emoji`, { name: 'tada' })
  await ask(developer, 'post', `/merge_requests/${open.iid}/award_emoji`, { name: 'rocket' })
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
  await ask(reporter, 'post', `/snippets/${id}/award_emoji`, { name: 'thumbsup' })
  const { body: head } = await maintainer.get(`${place}/repository/commits/main`)
  await ask(maintainer, 'post', `/statuses/${head.id}`, { state: 'success', name: 'ci/check', coverage: 98.5 })
  await ask(developer, 'post', `/repository/commits/${head.id}/comments`, { note: 'On a commit' })
  await ask(maintainer, 'post', '/pipeline_schedules', { description: 'Nightly', ref: 'main', cron: '0 1 * * *' })
  await ask(maintainer, 'post', '/protected_branches', {
    ...{ name: 'release/*', push_access_level: 0, merge_access_level: 40 },
    allowed_to_merge: [{ user_id: developer.id }],
  })
  await ask(maintainer, 'post', '/protected_tags', { name: 'v*', create_access_level: 40 })
  await ask(maintainer, 'post', '/protected_environments', {
    name: 'production',
    deploy_access_levels: [{ access_level: 40 }, { user_id: developer.id }],
    approval_rules: [{ access_level: 30, required_approvals: 2 }],
  })
  await ask(server.root, 'put', '/custom_attributes/team', { value: 'blue' })
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
  const stored = await fetch(`${server.url}/${path}.git/gitlab-lfs/objects/${largeFileOid}/${content.length}`, {
    method: 'PUT',
    headers: { Authorization: `Basic ${login}`, 'Content-Type': 'application/octet-stream' },
    body: content,
  })
  if (stored.status !== 200) throw new Error(`LFS: ${stored.status}`)
}
