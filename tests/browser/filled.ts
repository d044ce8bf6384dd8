import { expect, vi } from 'vitest'
import { zipOf } from '../../src/testing/index.ts'
import { type PageServer, password } from './browser.ts'
import { pushImage } from './images.ts'

/** Text that would run or break the layout where it is not escaped. */
const hostile = `<img src=x onerror=alert(1)>"'&${'long'.repeat(30)}`

const files: Record<string, string> = {
  'README.md': `# Demo\n\n[link](docs/a b.md) [evil](javascript:alert(1)) <script>alert(1)</script>\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |\n`,
  'docs/a b.md': '# A b',
  'src/main.ts': 'export const answer: number = 42\n',
  'src/<b>&"\'#?%.js': 'alert(1)\n',
  'picture.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  'page.html': '<script>alert(1)</script>',
}

/** Runs two jobs, of which one fails, as a runner does. Their logs have what other tools make of escape codes. */
async function runJobs({ root, as }: PageServer): Promise<void> {
  const { body: runner } = await root.post('/user/runners', { runner_type: 'instance_type', description: hostile })
  const [program, { token }] = [as(''), runner]
  const log = `section_start:1:a\r\u001b[0KTitle\n\u001b[31m${hostile}\u001b[44m${hostile}\u001b[0m\nsection_end:2:a\r\n`
  for (const state of ['success', 'failed']) {
    const job = await vi.waitFor(async () => {
      const { status, body } = await program.post('/jobs/request', { token })
      if (status !== 201) throw new Error(`${status}`)
      return body
    })
    const headers = { 'JOB-TOKEN': job.token, 'Content-Range': `0-${log.length - 1}`, 'Content-Type': 'text/plain' }
    expect((await program.patch(`/jobs/${job.id}/trace`, log, { headers })).status).toBe(202)
    const form = new FormData()
    form.set('file', new File([zipOf({ 'out/a b.txt': hostile, [hostile.replaceAll('/', '')]: '' })], 'a.zip'))
    const uploaded = await program.post(`/jobs/${job.id}/artifacts`, form, { headers: { 'JOB-TOKEN': job.token } })
    expect(uploaded.status).toBe(201)
    expect((await program.put(`/jobs/${job.id}`, { token: job.token, state })).status).toBe(200)
  }
}

/** People, a group and projects with something of every kind, made by the API. */
export async function fill(server: PageServer) {
  const { url, root, as } = server
  const made = async (path: string, body: object, from = root) => {
    const answer = await from.post(path, body)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const person = async (username: string) => {
    const account = { username, name: username, email: `${username}@example.com`, password, skip_confirmation: true }
    const { id } = await made('/users', account)
    const { token } = await made(`/users/${id}/personal_access_tokens`, { name: 'test', scopes: ['api'] })
    return { id, username, token, client: as(token) }
  }
  const [owner, guest] = [await person('owner'), await person('guest')]
  const mine = (path: string, body: object) => made(path, body, owner.client)
  const group = await mine('/groups', { name: 'Team', path: 'team', visibility: 'public', description: hostile })
  await mine('/groups', { name: 'Below', path: 'below', parent_id: group.id, visibility: 'public' })
  const project = await mine('/projects', { name: 'Demo', namespace_id: group.id, visibility: 'public' })
  const at = `/projects/${project.id}`
  const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }))
  await mine(`${at}/repository/commits`, { branch: 'main', commit_message: `First\n\n${hostile}`, actions })
  await mine(`${at}/repository/branches`, { branch: 'feature/one', ref: 'main' })
  const change = [{ action: 'update', file_path: 'src/main.ts', content: 'export const answer = 43\n' }]
  await mine(`${at}/repository/commits`, { branch: 'feature/one', commit_message: hostile, actions: change })
  await mine(`${at}/repository/tags`, { tag_name: 'v1.0', ref: 'main', message: hostile })
  await mine(`${at}/releases`, { tag_name: 'v1.0', name: hostile, description: 'Notes' })
  await mine(`${at}/labels`, { name: 'kind::bug', color: '#cc0000', description: hostile })
  await mine(`${at}/milestones`, { title: 'Next', description: hostile })
  await mine(`${at}/issues`, { title: hostile, description: hostile, labels: 'kind::bug' })
  const request = await mine(`${at}/merge_requests`, {
    ...{ title: hostile, description: hostile, source_branch: 'feature/one', target_branch: 'main' },
    ...{ labels: 'kind::bug', reviewer_ids: [owner.id] },
  })
  const position = { ...request.diff_refs, position_type: 'text', new_path: 'src/main.ts', new_line: 1 }
  await mine(`${at}/merge_requests/${request.iid}/discussions`, { body: hostile, position })
  await mine(`${at}/variables`, { key: 'KEY', value: hostile })
  await mine(`${at}/hooks`, { url: 'https://hook.example/', push_events: true })
  await mine(`${at}/snippets`, { title: hostile, visibility: 'public', files: [{ file_path: 'a.ts', content: 'x\n' }] })
  await mine(`${at}/wikis`, { title: 'home', content: `# Wiki\n\n${hostile}` })
  const jobs = `ok: {script: a}\nfailed: {script: a, stage: deploy, needs: [ok]}\nmanual: {script: a, when: manual}\n`
  const ci = { branch: 'main', content: jobs, commit_message: 'CI' }
  await mine(`${at}/repository/files/.gitlab-ci.yml`, ci)
  await runJobs(server)
  await mine(`${at}/members`, { user_id: guest.id, access_level: 10 })
  for (const tag of ['v1.0', 'latest', 'long'.repeat(20)]) await pushImage(url, owner.token, 'team/demo/web', tag)
  const { id: integration } = await mine(`${at}/alert_management_integrations`, { name: hostile })
  for (const [index, severity] of ['critical', 'high', 'low'].entries()) {
    const payload = { title: `${hostile} ${index}`, severity, description: hostile, runbook: 'https://run.example/' }
    await mine(`${at}/alert_management_integrations/${integration}/test`, { payload })
  }
  await mine(`${at}/alert_management_alerts/1/incident`, {})
  await made('/broadcast_messages', { message: `Hello ${hostile}`, dismissable: true, ends_at: '2099-01-01T00:00:00Z' })
  expect((await root.get(`${at}/repository/tree`)).status).toBe(200)
  return { owner, guest, group, project }
}
