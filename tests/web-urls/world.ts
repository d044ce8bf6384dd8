import { deliver } from '../../src/modules/alerts/testing.ts'
import type { TestServer } from '../../src/testing/index.ts'

/** Text that would run or break the layout where it is not escaped. */
const hostile = `<script>alert(1)</script> "'&`

const config = 'build:\n  stage: build\n  script: echo\ntest:\n  stage: test\n  script: echo\n  when: manual\n'

/** A group and projects with an object of each kind that has a page, made by the API as an administrator. */
export async function fillWorld(server: TestServer): Promise<void> {
  const { root } = server
  const made = async (path: string, body: object = {}) => {
    const answer = await root.post(path, body)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const user = await server.user('somebody')
  const group = await made('/groups', { name: 'Team', path: 'team' })
  await made('/groups', { name: 'Below', path: 'below', parent_id: group.id })
  const project = await made('/projects', { name: 'Demo', namespace_id: group.id })
  await made('/projects', { name: 'Own' })
  const [inGroup, at] = [`/groups/${group.id}`, `/projects/${project.id}`]
  const files = { 'README.md': `# ${hostile}`, '.gitlab-ci.yml': config, [`${hostile}.txt`.replaceAll('/', '-')]: 'a' }
  const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }))
  await made(`${at}/repository/commits`, { branch: 'main', commit_message: hostile, actions })
  await made(`${at}/repository/branches`, { branch: 'feature/#1', ref: 'main' })
  const change = [{ action: 'update', file_path: 'README.md', content: 'b' }]
  await made(`${at}/repository/commits`, { branch: 'feature/#1', commit_message: 'Change', actions: change })
  await made(`${at}/repository/tags`, { tag_name: 'v1.0', ref: 'main' })
  await made(`${at}/releases`, { tag_name: 'v1.0', name: hostile })
  for (const place of [at, inGroup]) {
    await made(`${place}/milestones`, { title: `${hostile} of ${place}` })
    await made(`${place}/members`, { user_id: user.id, access_level: 30 })
  }
  const issue = await made(`${at}/issues`, { title: hostile, milestone_id: 1 })
  await made(`${at}/issues`, { title: 'Incident', issue_type: 'incident' })
  await made(`${at}/issues/${issue.iid}/notes`, { body: hostile })
  await made(`${at}/merge_requests`, { title: hostile, source_branch: 'feature/#1', target_branch: 'main' })
  const epic = await made(`${inGroup}/epics`, { title: hostile })
  await made(`${inGroup}/epics/${epic.iid}/issues/${issue.id}`)
  const cadence = { title: hostile, start_date: '2031-01-01', due_date: '2031-01-14' }
  await made(`${inGroup}/iterations`, cadence)
  await made(`${at}/pipeline`, { ref: 'main' })
  await made(`${at}/snippets`, { title: hostile, visibility: 'private', files: [{ file_path: 'a.ts', content: 'x' }] })
  await made('/snippets', { title: hostile, visibility: 'public', files: [{ file_path: 'b.ts', content: 'x' }] })
  await made(`${at}/wikis`, { title: hostile, content: 'a' })
  await made(`${inGroup}/wikis`, { title: 'home', content: 'a' })
  await made(`${at}/issues/${issue.iid}/todo`)
  await made('/user/runners', { runner_type: 'project_type', project_id: project.id, description: hostile })
  await made('/geo_sites', { name: hostile, url: 'https://copy.example.com/' })
  await made('/service_accounts', { name: hostile })
  await made(`${inGroup}/service_accounts`, { name: hostile })
  const integration = await made(`${at}/alert_management_integrations`, { name: 'Hook' })
  await deliver(integration.url, integration.token, { title: hostile })
  await made(`${at}/alert_management_alerts/1/incident`)
  await made(`${at}/fork`, { namespace_path: 'root', path: 'forked', name: 'Forked' })
}
