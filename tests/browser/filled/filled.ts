import { expect, vi } from 'vitest'
import { startReceiver, zipOf } from '../../../src/testing/index.ts'
import { type PageServer, password } from '../browser.ts'
import { pushImage } from './images.ts'
import { fillAccount, fillInstance, storeWork } from './instance.ts'
import { hostile, type Make, makeAs } from './making.ts'
import { addMetricImage, fillGroup, fillProject, fillWork } from './places.ts'

const files: Record<string, string> = {
  'README.md': `# Demo\n\n[link](docs/a b.md) [evil](javascript:alert(1)) <script>alert(1)</script>\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |\n`,
  'docs/a b.md': '# A b',
  'src/main.ts': 'export const answer: number = 42\n',
  'src/<b>&"\'#?%.js': 'alert(1)\n',
  'picture.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  'page.html': '<script>alert(1)</script>',
}

/** Runs so many jobs, of which some fail, as a runner does. Their logs have what other tools make of escape codes. */
async function runJobs({ root, as }: PageServer, count: number): Promise<void> {
  const { body: runner } = await root.post('/user/runners', { runner_type: 'instance_type', description: hostile })
  const [program, { token }] = [as(''), runner]
  const log = `section_start:1:a\r\u001b[0KTitle\n\u001b[31m${hostile}\u001b[44m${hostile}\u001b[0m\nsection_end:2:a\r\n`
  for (let index = 0; index < count; index += 1) {
    const job = await vi.waitFor(
      async () => {
        const { status, body } = await program.post('/jobs/request', { token })
        if (status !== 201) throw new Error(`${status}`)
        return body
      },
      { timeout: 60_000 },
    )
    const headers = { 'JOB-TOKEN': job.token, 'Content-Range': `0-${log.length - 1}`, 'Content-Type': 'text/plain' }
    expect((await program.patch(`/jobs/${job.id}/trace`, log, { headers })).status).toBe(202)
    const form = new FormData()
    form.set('file', new File([zipOf({ 'out/a b.txt': hostile, [hostile.replaceAll('/', '')]: '' })], 'a.zip'))
    const uploaded = await program.post(`/jobs/${job.id}/artifacts`, form, { headers: { 'JOB-TOKEN': job.token } })
    expect(uploaded.status).toBe(201)
    const state = job.job_info.name === 'failed' ? 'failed' : 'success'
    expect((await program.put(`/jobs/${job.id}`, { token: job.token, state })).status).toBe(200)
  }
}

type Person = { id: number; username: string; token: string; make: Make }

async function personOf({ as }: PageServer, root: Make, username: string): Promise<Person> {
  const account = { username, name: username, email: `${username}@example.com`, password, skip_confirmation: true }
  const { id } = await root('/users', account)
  const { token } = await root(`/users/${id}/personal_access_tokens`, { name: 'test', scopes: ['api'] })
  return { id, username, token, make: makeAs(as(token)) }
}

/** Commits, a branch that is to be merged, a release, and texts about them. */
async function fillCode(mine: Make, at: string, reviewer: number): Promise<void> {
  const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }))
  await mine(`${at}/repository/commits`, { branch: 'main', commit_message: `First\n\n${hostile}`, actions })
  await mine(`${at}/repository/branches`, { branch: 'feature/one', ref: 'main' })
  const change = [{ action: 'update', file_path: 'src/main.ts', content: 'export const answer = 43\n' }]
  await mine(`${at}/repository/commits`, { branch: 'feature/one', commit_message: hostile, actions: change })
  await mine(`${at}/repository/tags`, { tag_name: 'v1.0', ref: 'main', message: hostile })
  await mine(`${at}/releases`, { tag_name: 'v1.0', name: hostile, description: 'Notes' })
  await mine(`${at}/labels`, { name: 'kind::bug', color: '#cc0000', description: hostile })
  const milestone = await mine(`${at}/milestones`, { title: 'Next', description: hostile })
  const planned = { labels: 'kind::bug', milestone_id: milestone.id }
  await mine(`${at}/issues`, { title: hostile, description: hostile, ...planned })
  const request = await mine(`${at}/merge_requests`, {
    ...{ title: hostile, description: hostile, source_branch: 'feature/one', target_branch: 'main' },
    ...{ ...planned, reviewer_ids: [reviewer] },
  })
  const position = { ...request.diff_refs, position_type: 'text', new_path: 'src/main.ts', new_line: 1 }
  await mine(`${at}/merge_requests/${request.iid}/discussions`, { body: hostile, position })
  await mine(`${at}/merge_requests/${request.iid}/draft_notes`, { note: hostile, position })
  await mine(`${at}/merge_requests/${request.iid}/draft_notes`, { note: hostile })
  await mine(`${at}/merge_requests/${request.iid}/approval_rules`, { name: hostile, approvals_required: 0 })
  await mine(`${at}/wikis`, { title: 'home', content: `# Wiki\n\n${hostile}` })
}

/** A merge request that its train merges into a branch without jobs, and one that waits to enter a train. */
async function fillTrains(mine: Make, at: string): Promise<void> {
  await mine.put(at, { merge_trains_enabled: true, merge_pipelines_enabled: true })
  await mine(`${at}/repository/branches`, { branch: 'trained', ref: 'main' })
  for (const [branch, title] of [
    ['feature/train', hostile],
    ['feature/waiting', `Draft: ${hostile}`],
  ]) {
    const actions = [{ action: 'create', file_path: branch, content: hostile }]
    await mine(`${at}/repository/commits`, { branch, start_branch: 'main', commit_message: hostile, actions })
    const { iid } = await mine(`${at}/merge_requests`, { title, source_branch: branch, target_branch: 'trained' })
    await mine(`${at}/merge_trains/merge_requests/${iid}`, { auto_merge: true })
  }
}

async function fillAlerts(mine: Make, at: string): Promise<void> {
  const { id: integration } = await mine(`${at}/alert_management_integrations`, { name: hostile })
  for (const [index, severity] of ['critical', 'high', 'low'].entries()) {
    const payload = { title: `${hostile} ${index}`, severity, description: hostile, runbook: 'https://run.example/' }
    await mine(`${at}/alert_management_integrations/${integration}/test`, { payload })
  }
  await mine(`${at}/alert_management_alerts/3/incident`, {})
  await addMetricImage(mine, `${at}/alert_management_alerts/3`)
}

/** People, a group and projects with something of every kind that has a page, made by the API. */
export async function fill(server: PageServer) {
  const root = makeAs(server.root)
  const [owner, developer, guest, asking] = [
    await personOf(server, root, 'owner'),
    await personOf(server, root, 'developer'),
    await personOf(server, root, 'guest'),
    await personOf(server, root, 'asking'),
  ]
  const mine = owner.make
  const group = await mine('/groups', { name: 'Team', path: 'team', visibility: 'public', description: hostile })
  await mine('/groups', { name: 'Below', path: 'below', parent_id: group.id, visibility: 'public' })
  const project = await mine('/projects', { name: 'Demo', namespace_id: group.id, visibility: 'public' })
  const [at, inGroup] = [`/projects/${project.id}`, `/groups/${group.id}`]
  await fillCode(mine, at, owner.id)
  await fillTrains(mine, at)
  const jobs = `ok: {script: a, pages: {publish: out}, environment: {name: production, url: 'https://example.com'}, resource_group: server}\nfailed: {script: a, stage: deploy, needs: [ok]}\nmanual: {script: a, when: manual}\n`
  await mine(`${at}/repository/files/.gitlab-ci.yml`, { branch: 'main', content: jobs, commit_message: 'CI' })
  // Before the pipeline of the schedule, which cancels what waits in an older one of the branch.
  await runJobs(server, 2)
  for (const place of [at, inGroup]) {
    await asking.make(`${place}/access_requests`, {})
    await mine(`${place}/members`, { user_id: guest.id, access_level: 10 })
    await mine(`${place}/members`, { user_id: developer.id, access_level: 30 })
  }
  for (const tag of ['v1.0', 'latest', 'long'.repeat(20)])
    await pushImage(server.url, owner.token, 'team/demo/web', tag)
  await fillAlerts(mine, at)
  const snippet = await fillWork(mine, at, inGroup)
  await root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
  await using receiver = await startReceiver()
  await fillProject(mine, root, { at, id: project.id, name: 'project', receiver: receiver.url })
  await runJobs(server, 2)
  await fillGroup(mine, root, { at: inGroup, id: group.id, name: 'group', receiver: receiver.url })
  // Below the group, so that links lead to the full one first.
  const brought = { source_full_path: 'team/below', destination_slug: 'brought', destination_namespace: 'team' }
  await mine('/bulk_imports', {
    configuration: { url: server.url, access_token: owner.token },
    entities: [{ source_type: 'group_entity', ...brought }],
  })
  // The list of users begins with the newest.
  const newest = await personOf(server, root, 'newest')
  await mine(`${at}/members`, { user_id: newest.id, access_level: 20 })
  for (const person of [owner, newest, { id: 1, username: 'admin', make: root }])
    await fillAccount(person.make, root, person)
  await fillInstance(root, snippet)
  storeWork(server.folder)
  expect((await server.root.get(`${at}/repository/tree`)).status).toBe(200)
  return { owner, guest, group, project }
}
