/** What the test writes into the forms of a family. A family is named by its level and path. */
export type Walk = {
  /** Values of the form for a new one. */
  create?: Readonly<Record<string, string | readonly string[]>>
  /** Values of the form of one. */
  change?: Readonly<Record<string, string | readonly string[]>>
  /** Whether guests may make one. */
  isOfGuests?: true
  /** Whether one stays in the list after it is deleted. */
  stays?: true
  /** Whether the creation makes nothing that the list has at once. */
  makesNothing?: true
}

/** A value that would run where it is not escaped. */
export const hostile = `"><script>alert(1)</script>`

function sshKey(index: number): string {
  const head = Buffer.from('AAAAC3NzaC1lZDI1NTE5AAAAIA==', 'base64')
  return `ssh-ed25519 ${Buffer.concat([head, Buffer.alloc(32, index)]).toString('base64')}`
}

const inAMonth = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)

const token = { name: hostile, description: hostile, 'scopes[]': ['read_api'], expires_at: inAMonth }
const milestone = { title: hostile, description: hostile, due_date: '2030-02-01' }
const hook = { url: 'https://hooks.example.com/<x>', name: hostile, description: hostile }
const variable = { key: 'NAME', value: hostile, description: hostile }
const variableChange = { value: 'two\r\nlines' }
const runner = { description: hostile, tag_list: 'one\r\ntwo' }

/** The families of projects and of groups. */
export const walksOf = (at: 'project' | 'group'): Readonly<Record<string, Walk>> => ({
  [`${at}_members`]: { create: { username: 'newcomer', access_level: '30' }, change: { access_level: '20' } },
  invitations: { create: { email: 'guest@example.org', access_level: '20' }, change: { access_level: '30' } },
  labels: { create: { name: hostile, color: '#aa0000', description: hostile }, change: { new_name: `${hostile}2` } },
  milestones: { create: { ...milestone, title: `${hostile} of a ${at}` } },
  variables: { create: variable, change: variableChange },
  deploy_tokens: { create: { name: hostile, 'scopes[]': ['read_repository'] }, stays: true },
  access_tokens: { create: { ...token, access_level: '20' }, stays: true },
  hooks: {
    create: { ...hook, 'custom_headers[0][key]': 'X-A', 'custom_headers[0][value]': 'b' },
    change: { name: 'b' },
  },
  'settings/badges': {
    create: { name: hostile, link_url: 'https://b.example/<x>', image_url: 'https://b.example/i.svg' },
    change: { name: 'b' },
  },
  protected_branches: {
    create: { name: 'release/*', 'allowed_to_push[0][access_level]': '40' },
    change: { allow_force_push: 'true' },
  },
  protected_environments: {
    create: { name: 'production', 'deploy_access_levels[0][access_level]': '40' },
    change: { 'approval_rules[0][access_level]': '30' },
  },
  runners: { create: runner, change: { description: `${hostile}2` } },
  custom_attributes: { create: { key: 'color', value: hostile }, change: { value: 'b' } },
  uploads: { create: { file: hostile } },
  service_accounts: { create: { name: hostile, username: `program-of-${at}` }, change: { name: 'b' } },
  export_relations: { create: {}, makesNothing: true },
  push_rule: { create: { commit_message_regex: hostile }, change: { commit_message_regex: 'b' } },
})

export const walksOfProjects: Readonly<Record<string, Walk>> = {
  feature_flags_user_lists: { create: { name: hostile, user_xids: 'a,b' }, change: { user_xids: 'c' } },
  secure_files: { create: { name: '<b>key', file: hostile } },
  pipeline_schedules: {
    create: { description: hostile, ref: 'main', cron: '0 4 * * *' },
    change: { cron: '1 4 * * *' },
  },
  cluster_agents: { create: { name: 'production' } },
  external_status_checks: {
    create: { name: '<b>check', external_url: 'https://checks.example/?a=<b>' },
    change: { name: hostile.slice(0, 200) },
  },
  triggers: { create: { description: hostile }, change: { description: `${hostile}2` } },
  deploy_keys: { create: { title: hostile, key: sshKey(1) }, change: { title: `${hostile}2` } },
  protected_tags: { create: { name: 'v*', create_access_level: '40' } },
  approval_rules: { create: { name: hostile, approvals_required: '1' }, change: { approvals_required: '2' } },
  registry_protection_rules: {
    create: { repository_path_pattern: 'team/app/prod*', minimum_access_level_for_push: 'owner' },
    change: { minimum_access_level_for_delete: 'admin' },
  },
  registry_tag_rules: {
    create: {
      tag_name_pattern: hostile,
      minimum_access_level_for_push: 'owner',
      minimum_access_level_for_delete: 'owner',
    },
    change: { minimum_access_level_for_delete: 'admin' },
  },
  package_protection_rules: {
    create: { package_name_pattern: hostile, package_type: 'generic', minimum_access_level_for_push: 'owner' },
    change: { minimum_access_level_for_delete: 'admin' },
  },
  remote_mirrors: { create: { url: 'https://mirror.example.com/a.git' }, change: { enabled: 'false' } },
  alert_management_integrations: { create: { name: hostile }, change: { name: `${hostile}2` } },
  'error_tracking/client_keys': { create: {} },
  'pages/domains': { create: { domain: 'people.example.org' } },
}

export const walksOfGroups: Readonly<Record<string, Walk>> = {
  iterations: { create: { title: hostile, start_date: '2031-01-01', due_date: '2031-01-14' } },
  cadences: { create: { title: hostile, description: hostile, automatic: 'false' }, change: { title: 'b' } },
  'settings/member_roles': { create: { name: hostile, base_access_level: '20', admin_web_hook: 'true' } },
  ssh_certificates: { create: { title: hostile, key: sshKey(4) } },
  service_accounts: { create: { name: hostile, username: 'program' }, change: { name: 'b' } },
  approval_rules: { create: { name: hostile, approvals_required: '1' }, change: { approvals_required: '2' } },
}

export const walksOfCallers: Readonly<Record<string, Walk>> = {
  'profile/personal_access_tokens': { create: { name: hostile, 'scopes[]': ['k8s_proxy'] }, stays: true },
  'profile/keys': { create: { title: hostile, key: sshKey(2) } },
  'profile/emails': { create: { email: 'other@example.org' } },
}

export const walksOfInstance: Readonly<Record<string, Walk>> = {
  'admin/users': {
    create: { name: hostile, username: 'made', email: 'made@example.org', force_random_password: 'true' },
    change: { name: `${hostile}2` },
    stays: true,
  },
  'admin/applications': { create: { name: hostile, redirect_uri: 'https://a.example.com/back', scopes: 'read_user' } },
  'admin/member_roles': { create: { name: hostile, base_access_level: '10', read_code: 'true' } },
  'admin/variables': { create: variable, change: variableChange },
  'admin/runners': { create: runner, change: { description: `${hostile}2` } },
  'admin/hooks': { create: hook, change: { name: 'b' } },
  'admin/deploy_keys': { create: { title: hostile, key: sshKey(3) } },
  'admin/service_accounts': { create: { name: hostile, username: 'robot' }, change: { name: 'b' } },
  'admin/broadcast_messages': {
    create: { message: hostile, 'target_access_levels[]': ['10'] },
    change: { theme: 'red' },
  },
  'admin/topics': { create: { name: hostile, title: hostile, description: hostile }, change: { title: 'b' } },
  'admin/features': { create: { name: 'fast', value: 'true' } },
  'admin/geo/sites': { create: { name: hostile, url: 'https://copy.example.com/' }, change: { name: 'b' } },
}
