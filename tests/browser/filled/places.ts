import { newSshKey } from '../../deleted-once-world.ts'
import { hostile, type Make, type Place, pngOf, soon } from './making.ts'

/** What projects and groups have alike. */
async function fillPlace(mine: Make, root: Make, { at, name, receiver }: Place): Promise<void> {
  await mine(`${at}/invitations`, { email: `invited-${name}@example.com`, access_level: 30 })
  const milestone = await mine(`${at}/milestones`, { title: `Next of ${name}`, description: hostile })
  const label = await mine(`${at}/labels`, { name: `kind::${name}`, color: '#cc0000', description: hostile })
  const board = await mine(`${at}/boards`, { name: hostile.slice(0, 200) })
  for (const given of [{ label_id: label.id }, { milestone_id: milestone.id }]) {
    await mine(`${at}/boards/${board.id}/lists`, given)
  }
  await mine(`${at}/variables`, { key: 'KEY', value: hostile })
  await mine(`${at}/deploy_tokens`, { name: hostile.slice(0, 100), scopes: ['read_repository'] })
  const token = { name: hostile.slice(0, 100), scopes: ['api'], access_level: 30, expires_at: soon() }
  await mine(`${at}/access_tokens`, token)
  const { id: account } = await mine(`${at}/service_accounts`, { name: hostile.slice(0, 100) })
  const ofAccount = { name: 'robot', scopes: ['api'], expires_at: soon() }
  await mine(`${at}/service_accounts/${account}/personal_access_tokens`, ofAccount)
  const hook = await mine(`${at}/hooks`, { url: receiver, push_events: true })
  await mine(`${at}/hooks/${hook.id}/test/push_events`, {})
  const form = new FormData()
  form.set('file', new File(['content'], 'a "b".txt'))
  await mine(`${at}/uploads`, form)
  await mine(`${at}/export_relations`, {})
  await mine(`${at}/approval_rules`, { name: hostile, approvals_required: 0 })
  const badge = {
    name: hostile.slice(0, 200),
    link_url: 'https://b.example/%{project_path}',
    image_url: 'https://b.example/i.svg',
  }
  await mine(`${at}/badges`, badge)
  await mine(`${at}/push_rule`, { commit_message_regex: '.' })
  await root.put(`${at}/custom_attributes/cost-centre`, { value: hostile })
}

/** What only projects have, beside their work and their code. */
export async function fillProject(mine: Make, root: Make, place: Place): Promise<void> {
  const { at, id } = place
  await fillPlace(mine, root, place)
  await mine(`${at}/export`, {})
  await mine('/user/runners', { runner_type: 'project_type', project_id: id, description: hostile, paused: true })
  const schedule = { description: hostile, ref: 'main', cron: '0 1 * * *' }
  const { id: scheduled } = await mine(`${at}/pipeline_schedules`, schedule)
  await mine(`${at}/pipeline_schedules/${scheduled}/variables`, { key: 'KEY', value: hostile })
  await mine(`${at}/pipeline_schedules/${scheduled}/play`, {})
  await mine(`${at}/triggers`, { description: hostile })
  await mine(`${at}/deploy_keys`, { title: hostile, key: newSshKey() })
  await mine(`${at}/protected_tags`, { name: 'v*' })
  const rule = { repository_path_pattern: 'team/demo/kept', minimum_access_level_for_push: 'maintainer' }
  await mine(`${at}/registry/protection/repository/rules`, rule)
  const levels = { minimum_access_level_for_push: 'maintainer', minimum_access_level_for_delete: 'owner' }
  await mine(`${at}/registry/protection/tag/rules`, { tag_name_pattern: 'v[0-9]+', ...levels })
  await mine(`${at}/remote_mirrors`, { url: 'https://mirror.example/team/demo.git', enabled: true })
  await mine(`${at}/pages/domains`, { domain: 'team.example' })
  await fillDelivery(mine, at)
  await root(`${at}/repository_storage_moves`, { destination_storage_name: 'other' })
}

/** Packages, feature flags, secure files and Terraform states. */
async function fillDelivery(mine: Make, at: string): Promise<void> {
  await mine.put(`${at}/packages/generic/tool/1.0/tool.bin`, { content: hostile })
  const rule = { package_name_pattern: 'kept-*', package_type: 'npm', minimum_access_level_for_push: 'maintainer' }
  await mine(`${at}/packages/protection/rules`, rule)
  await mine(`${at}/feature_flags_user_lists`, { name: hostile.slice(0, 100), user_xids: 'a,b' })
  await mine(`${at}/environments`, { name: 'review/topic', description: hostile, external_url: 'https://a.example' })
  const strategies = [{ name: 'default', parameters: {}, scopes: [{ environment_scope: 'production' }] }]
  await mine(`${at}/feature_flags`, { name: 'checkout', version: 'new_version_flag', description: hostile, strategies })
  const form = new FormData()
  form.set('name', 'release.keystore')
  form.set('file', new File(['content'], 'release.keystore'))
  await mine(`${at}/secure_files`, form)
  await mine(`${at}/terraform/state/production`, { serial: 1 })
  await mine.put(`${at}/error_tracking/settings`, { active: true, integrated: true })
  await mine(`${at}/error_tracking/client_keys`, {})
  const { id: agent } = await mine(`${at}/cluster_agents`, { name: 'production' })
  await mine(`${at}/cluster_agents/${agent}/tokens`, { name: hostile.slice(0, 200), description: hostile })
  const check = { name: hostile.slice(0, 200), external_url: 'https://checks.example/?a=b', shared_secret: 'secret' }
  await mine(`${at}/external_status_checks`, check)
}

/** Issues, snippets and texts of each kind. @returns the id of a snippet */
export async function fillWork(mine: Make, at: string, group: string): Promise<number> {
  const incident = await mine(`${at}/issues`, { title: `Incident ${hostile}`, issue_type: 'incident' })
  await addMetricImage(mine, `${at}/issues/${incident.iid}`)
  const files = ['a.ts', `${hostile.replaceAll('/', '')}.md`].map((file_path) => ({ file_path, content: 'x\n' }))
  const { id: snippet } = await mine('/snippets', { title: hostile, visibility: 'public', files })
  await mine(`${at}/snippets`, { title: 'Several files', visibility: 'public', files })
  const deploy_access_levels = [{ access_level: 40 }]
  await mine(`${at}/protected_environments`, {
    name: 'staging',
    deploy_access_levels,
    approval_rules: deploy_access_levels,
  })
  const epic = await mine(`${group}/epics`, { title: hostile, description: hostile })
  const issue = await mine(`${at}/issues`, { title: 'Of the epic', epic_id: epic.id })
  await mine(`${at}/issues/${issue.iid}/todo`, {})
  await mine(`${at}/issues/${issue.iid}/notes`, { body: hostile })
  await mine(`${group}/iterations`, { title: hostile, start_date: '2031-01-01', due_date: '2031-01-14' })
  await mine(`${group}/iteration_cadences`, { title: hostile, automatic: false })
  await mine(`${group}/wikis`, { title: 'home', content: hostile })
  return snippet
}

/** What only groups have. */
export async function fillGroup(mine: Make, root: Make, place: Place): Promise<void> {
  const { at, id } = place
  await fillPlace(mine, root, place)
  await mine(`${at}/export`, {})
  await mine('/user/runners', { runner_type: 'group_type', group_id: id, description: hostile, paused: true })
  const deploy_access_levels = [{ access_level: 40 }]
  await mine(`${at}/protected_environments`, { name: 'production', deploy_access_levels })
  await mine(`${at}/protected_branches`, { name: 'release/*' })
  await mine(`${at}/member_roles`, { name: hostile, base_access_level: 10, description: hostile, read_code: true })
  await mine(`${at}/ssh_certificates`, { title: hostile, key: newSshKey() })
  const { id: account } = await mine(`${at}/service_accounts`, { name: hostile.slice(0, 100) })
  const token = { name: 'robot', scopes: ['api'], expires_at: soon() }
  await mine(`${at}/service_accounts/${account}/personal_access_tokens`, token)
  await root(`${at}/repository_storage_moves`, { destination_storage_name: 'other' })
}

/** A picture of what an alert or an incident was measured by. */
export async function addMetricImage(mine: Make, parent: string): Promise<void> {
  const form = new FormData()
  form.set('file', new File([pngOf()], 'a b.png'))
  form.set('url', 'https://metrics.example/')
  await mine(`${parent}/metric_images`, form)
}
