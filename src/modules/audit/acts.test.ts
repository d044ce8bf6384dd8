import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import { makeFailedJob } from '../background-jobs/testing.ts'
import { makeKey } from '../gpg-keys/testing.ts'
import { ed25519Line } from '../keys/testing.ts'
import { makeDeployment } from '../pages/testing.ts'
import { auditEvents } from './store.ts'
import type { AuditEventRow } from './tables.ts'

/** That every operation that administers something leaves a line in the audit trail, by performing each of them. */
let server: TestServer
let root: TestServer['root']
let owner: Person
let user: number
let project: number
let other: number
let group: number
let asking: Person
let invited: number[]

beforeAll(async () => {
  server = await startTestServer()
  root = server.root
  owner = await server.user('owner')
  user = (await server.user('target')).id
  asking = await server.user('asking')
  group = (await server.make.group('g', owner, { visibility: 'public' })).id
  invited = [(await server.make.group('a', owner)).id, (await server.make.group('b', owner)).id]
  other = (await server.make.project('other', owner)).id
  project = (await owner.post('/projects', { name: 'p', initialize_with_readme: true, visibility: 'public' })).body.id
})
afterAll(() => server.stop())

/** What administers by its ability; and the runners, whose operations find out by themselves who may. */
const administers = [
  ...['administrator', 'administer', 'admin_hooks', 'admin_variables', 'admin_deploy_keys', 'admin_deploy_tokens'],
  ...['admin_runners', 'admin_protected_branches', 'admin_protected_tags', 'admin_push_rules', 'admin_tokens'],
  ...['admin_members', 'leave', 'share', 'admin_approval_rules', 'admin_job_token_scope', 'admin_status_checks'],
  ...['admin_protected_environments', 'admin_pages', 'admin_badges', 'admin_integrations', 'admin_group_links'],
  ...['admin_member_roles', 'billable_members'],
  ...['admin_member_roles', 'admin_cluster_agents'],
  ...['admin_member_roles', 'admin_cluster_agents', 'admin_ssh_certificates'],
]
const ofRunners = ['runners.create', 'runners.update', 'runners.delete', 'runners.reset_token']

/** What manages members by another ability, with which users act on themselves, too. */
const ofRequests = ['project_access_requests.delete', 'group_access_requests.delete']

/** What changes nothing that is stored: it sends something, or is always refused. */
const leavesNothing =
  /^(license\.add|ldap_group_links\.sync|(project|group|system)_hooks\.(test|resend_event)|(project|group)_invitations\.resend)$/

type Steps = Record<string, () => Promise<Answer>>
const secret = 'a-secret-value-4711'

/** The operations on projects and groups that have the same paths. */
function ofPlace(kind: 'project' | 'group', at: () => string, by: () => Person): Steps {
  let hook = 0
  let token = 0
  let deployToken = 0
  let badge = 0
  const rules = kind === 'project' ? 'protected_branches' : 'group_protected_branches'
  const environments = kind === 'project' ? 'protected_environments' : 'group_protected_environments'
  return {
    [`${kind}_hooks.create`]: async () => {
      const made = await by().post(`${at()}/hooks`, { url: 'http://hooks.example/x', token: secret })
      hook = made.body.id
      return made
    },
    [`${kind}_hooks.update`]: () => by().put(`${at()}/hooks/${hook}`, { name: 'changed' }),
    [`${kind}_hooks.set_url_variable`]: () => by().put(`${at()}/hooks/${hook}/url_variables/v`, { value: secret }),
    [`${kind}_hooks.delete_url_variable`]: () => by().delete(`${at()}/hooks/${hook}/url_variables/v`),
    [`${kind}_hooks.set_custom_header`]: () => by().put(`${at()}/hooks/${hook}/custom_headers/h`, { value: secret }),
    [`${kind}_hooks.delete_custom_header`]: () => by().delete(`${at()}/hooks/${hook}/custom_headers/h`),
    [`${kind}_runners.reset_registration_token`]: () => by().post(`${at()}/runners/reset_registration_token`),
    [`${kind}_hooks.delete`]: () => by().delete(`${at()}/hooks/${hook}`),
    [`${kind}_integrations.set`]: () => by().put(`${at()}/integrations/telegram`, { token: secret, room: 'general' }),
    [`${kind}_integrations.delete`]: () => by().delete(`${at()}/integrations/telegram`),
    [`${kind}_variables.create`]: () => by().post(`${at()}/variables`, { key: 'KEY', value: secret }),
    [`${kind}_variables.update`]: () => by().put(`${at()}/variables/KEY`, { value: `${secret}2` }),
    [`${kind}_variables.delete`]: () => by().delete(`${at()}/variables/KEY`),
    [`${kind}_deploy_tokens.create`]: async () => {
      const made = await by().post(`${at()}/deploy_tokens`, { name: 'd', scopes: ['read_registry'] })
      deployToken = made.body.id
      return made
    },
    [`${kind}_deploy_tokens.delete`]: () => by().delete(`${at()}/deploy_tokens/${deployToken}`),
    [`${kind}_access_tokens.create`]: async () => {
      const made = await by().post(`${at()}/access_tokens`, { name: 't', scopes: ['api'], access_level: 30 })
      token = made.body.id
      return made
    },
    [`${kind}_access_tokens.rotate`]: async () => {
      const made = await by().post(`${at()}/access_tokens/${token}/rotate`)
      token = made.body.id
      return made
    },
    [`${kind}_access_tokens.delete`]: () => by().delete(`${at()}/access_tokens/${token}`),
    [`${rules}.create`]: () => by().post(`${at()}/protected_branches`, { name: 'stable-*' }),
    [`${rules}.update`]: () => by().patch(`${at()}/protected_branches/stable-*`, { allow_force_push: true }),
    [`${rules}.delete`]: () => by().delete(`${at()}/protected_branches/stable-*`),
    [`${environments}.create`]: () =>
      by().post(`${at()}/protected_environments`, {
        name: 'production',
        deploy_access_levels: [{ access_level: 40 }],
      }),
    [`${environments}.update`]: () =>
      by().put(`${at()}/protected_environments/production`, { approval_rules: [{ access_level: 30 }] }),
    [`${environments}.delete`]: () => by().delete(`${at()}/protected_environments/production`),
    [`${kind}_badges.create`]: async () => {
      const made = await by().post(`${at()}/badges`, {
        link_url: 'https://b.example',
        image_url: 'https://b.example/i',
      })
      badge = made.body.id
      return made
    },
    [`${kind}_badges.update`]: () => by().put(`${at()}/badges/${badge}`, { name: 'changed' }),
    [`${kind}_badges.delete`]: () => by().delete(`${at()}/badges/${badge}`),
    [`${kind}_push_rules.create`]: () => by().post(`${at()}/push_rule`, { prevent_secrets: true }),
    [`${kind}_push_rules.update`]: () => by().put(`${at()}/push_rule`, { prevent_secrets: false }),
    [`${kind}_push_rules.delete`]: () => by().delete(`${at()}/push_rule`),
    [`${kind}_approval_setting.update`]: () =>
      by().put(`${at()}/merge_request_approval_setting`, { retain_approvals_on_push: false }),
    [`${kind}_custom_attributes.put`]: () => root.put(`${at()}/custom_attributes/a`, { value: secret }),
    [`${kind}_custom_attributes.delete`]: () => root.delete(`${at()}/custom_attributes/a`),
    [`${kind}_storage_moves.create_all`]: () =>
      root.post(`/${kind}_repository_storage_moves`, { source_storage_name: 'default' }),
  }
}

/** The operations on who belongs to a project or group. */
function ofMembers(kind: 'project' | 'group', at: () => string): Steps {
  const address = '/invitations/guest@example.com'
  const shared = () => invited[kind === 'project' ? 0 : 1]
  return {
    [`${kind}_members.add`]: () => owner.post(`${at()}/members`, { user_id: user, access_level: 20 }),
    [`${kind}_members.update`]: () => owner.put(`${at()}/members/${user}`, { access_level: 30 }),
    [`${kind}_members.remove`]: () => owner.delete(`${at()}/members/${user}`),
    [`${kind}_invitations.create`]: () =>
      owner.post(`${at()}/invitations`, { email: 'guest@example.com', access_level: 20 }),
    [`${kind}_invitations.update`]: () => owner.put(`${at()}${address}`, { access_level: 30 }),
    [`${kind}_invitations.delete`]: () => owner.delete(`${at()}${address}`),
    [`${kind}_access_requests.approve`]: async () => {
      await asking.post(`${at()}/access_requests`)
      return owner.put(`${at()}/access_requests/${asking.id}/approve`)
    },
    [`${kind}_access_requests.delete`]: async () => {
      await owner.delete(`${at()}/members/${asking.id}`)
      await asking.post(`${at()}/access_requests`)
      return owner.delete(`${at()}/access_requests/${asking.id}`)
    },
    [`${kind}s.share`]: () => owner.post(`${at()}/share`, { group_id: shared(), group_access: 20 }),
    [`${kind}s.unshare`]: () => owner.delete(`${at()}/share/${shared()}`),
  }
}

/** The other operations on projects. */
function ofProjects(): Steps {
  let key = 0
  let runner = 0
  let rule = 0
  let role = 0
  const keys = () => `/projects/${project}/deploy_keys`
  const scope = () => `/projects/${project}/job_token_scope`
  const checks = () => `/projects/${project}/external_status_checks`
  const agents = () => `/projects/${project}/cluster_agents/${agent}`
  let check = 0
  let agent = 0
  let agentToken = 0
  let certificate = 0
  const links = (kind: 'ldap' | 'saml') => `/groups/${group}/${kind}_group_links`
  const ldapLink = () => owner.post(links('ldap'), { provider: 'p', cn: 'c', group_access: 30 })
  return {
    'project_members.import': () => owner.post(`/projects/${project}/import_project_members/${other}`),
    'approval_rules.create': async () => {
      const made = await owner.post(`/projects/${project}/approval_rules`, { name: 'two', approvals_required: 2 })
      rule = made.body.id
      return made
    },
    'approval_rules.update': () =>
      owner.put(`/projects/${project}/approval_rules/${rule}`, { approvals_required: 1, name: 'one' }),
    'approval_rules.delete': () => owner.delete(`/projects/${project}/approval_rules/${rule}`),
    'project_approvals.update': () => owner.post(`/projects/${project}/approvals`, { reset_approvals_on_push: false }),
    'ssh_certificates.create': async () => {
      const body = { title: 'office', key: ed25519Line('audit 3') }
      const made = await owner.post(`/groups/${group}/ssh_certificates`, body)
      certificate = made.body.id
      return made
    },
    'ssh_certificates.delete': () => owner.delete(`/groups/${group}/ssh_certificates/${certificate}`),
    'cluster_agents.create': async () => {
      const made = await owner.post(`/projects/${project}/cluster_agents`, { name: 'production' })
      agent = made.body.id
      return made
    },
    'cluster_agent_tokens.create': async () => {
      const made = await owner.post(`${agents()}/tokens`, { name: 'a' })
      agentToken = made.body.id
      return made
    },
    'cluster_agent_tokens.revoke': () => owner.delete(`${agents()}/tokens/${agentToken}`),
    'cluster_agents.delete': () => owner.delete(agents()),
    'status_checks.create': async () => {
      const made = await owner.post(checks(), { name: 'c', external_url: 'http://c.example/', shared_secret: secret })
      check = made.body.id
      return made
    },
    'status_checks.update': () => owner.put(`${checks()}/${check}`, { name: 'd', shared_secret: `${secret}2` }),
    'status_checks.delete': () => owner.delete(`${checks()}/${check}`),
    'branches.protect': () => owner.put(`/projects/${project}/repository/branches/main/protect`),
    'branches.unprotect': () => owner.put(`/projects/${project}/repository/branches/main/unprotect`),
    'protected_tags.create': () => owner.post(`/projects/${project}/protected_tags`, { name: 'v*' }),
    'protected_tags.delete': () => owner.delete(`/projects/${project}/protected_tags/v*`),
    'job_token_scope.update': () => owner.patch(scope(), { enabled: false }),
    'job_token_allowlist.add': () => owner.post(`${scope()}/allowlist`, { target_project_id: other }),
    'job_token_allowlist.remove': () => owner.delete(`${scope()}/allowlist/${other}`),
    'job_token_groups.add': () => owner.post(`${scope()}/groups_allowlist`, { target_group_id: group }),
    'job_token_groups.remove': () => owner.delete(`${scope()}/groups_allowlist/${group}`),
    'pages.update': () => owner.patch(`/projects/${project}/pages`, { pages_https_only: true }),
    'pages.delete': async () => {
      await makeDeployment(server, project)
      return owner.delete(`/projects/${project}/pages`)
    },
    'deploy_keys.create': async () => {
      const made = await root.post('/deploy_keys', { title: 'k', key: ed25519Line('audit 1') })
      key = made.body.id
      return made
    },
    'project_deploy_keys.enable': () => owner.post(`${keys()}/${key}/enable`),
    'project_deploy_keys.create': async () => {
      const made = await owner.post(keys(), { title: 'own', key: ed25519Line('audit 2') })
      key = made.body.id
      return made
    },
    'project_deploy_keys.update': () => owner.put(`${keys()}/${key}`, { can_push: true }),
    'project_deploy_keys.delete': () => owner.delete(`${keys()}/${key}`),
    'runners.create': async () => {
      const made = await owner.post('/user/runners', { runner_type: 'project_type', project_id: project })
      runner = made.body.id
      return made
    },
    'runners.update': () => owner.put(`/runners/${runner}`, { paused: true }),
    'project_runners.assign': () => owner.post(`/projects/${other}/runners`, { runner_id: runner }),
    'project_runners.unassign': () => owner.delete(`/projects/${other}/runners/${runner}`),
    'runners.reset_token': () => owner.post(`/runners/${runner}/reset_authentication_token`),
    'runners.delete': () => owner.delete(`/runners/${runner}`),
    'projects.create_for': () => root.post(`/projects/user/${user}`, { name: 'given' }),
    'project_storage_moves.create': () => root.post(`/projects/${other}/repository_storage_moves`),
    'snippet_storage_moves.create_all': () =>
      root.post('/snippet_repository_storage_moves', { source_storage_name: 'default' }),
    'snippet_storage_moves.create': async () => {
      const files = [{ file_path: 'a', content: 'x' }]
      const { body } = await owner.post('/snippets', { title: 's', visibility: 'private', files })
      return root.post(`/snippets/${body.id}/repository_storage_moves`)
    },
    'group_storage_moves.create': async () => {
      await owner.post(`/groups/${group}/wikis`, { title: 'Home', content: 'x' })
      return root.post(`/groups/${group}/repository_storage_moves`)
    },
    'group_approval_rules.create': async () => {
      const made = await owner.post(`/groups/${group}/approval_rules`, { name: 'two', approvals_required: 2 })
      rule = made.body.id
      return made
    },
    'group_approval_rules.update': () =>
      owner.put(`/groups/${group}/approval_rules/${rule}`, { approvals_required: 1, name: 'one' }),
    'saml_group_links.create': () => owner.post(links('saml'), { saml_group_name: 's', access_level: 30 }),
    'saml_group_links.delete': () => owner.delete(`${links('saml')}/s`),
    ...Object.fromEntries(
      ['', '_cn', '_provider'].flatMap((by, index): [string, () => Promise<Answer>][] => [
        ...(index > 0 ? [] : [['ldap_group_links.create', ldapLink] as [string, () => Promise<Answer>]]),
        [
          `ldap_group_links.delete${by}`,
          async () => {
            if (index > 0) await ldapLink()
            return owner.delete(`${links('ldap')}${['?provider=p&cn=c', '/c', '/p/c'][index]}`)
          },
        ],
      ]),
    ),
    'billable_members.delete': async () => {
      await owner.post(`/groups/${group}/members`, { user_id: asking.id, access_level: 30 })
      return owner.delete(`/groups/${group}/billable_members/${asking.id}`)
    },
    'group_member_roles.create': async () => {
      const made = await owner.post(`/groups/${group}/member_roles`, { base_access_level: 10, read_code: true })
      role = made.body.id
      return made
    },
    'group_member_roles.delete': () => owner.delete(`/groups/${group}/member_roles/${role}`),
    'groups.take_project': () => root.post(`/groups/${group}/projects/${project}`),
  }
}

/** The operations on what belongs to the instance. */
function ofInstance(): Steps {
  let id = 0
  const made = async (answer: Promise<Answer>) => {
    id = (await answer).body.id
    return answer
  }
  const nodes = ([['geo_nodes'], ['geo_sites']] as const).flatMap(
    ([name], index): [string, () => Promise<Answer>][] => [
      [`${name}.create`, () => made(root.post(`/${name}`, { name: `n${index}`, url: `http://n${index}.example/` }))],
      ...(index === 0
        ? ([
            ['geo_nodes.create_credentials', () => root.post(`/geo_nodes/${id}/credentials`)],
            ['geo_nodes.delete_credentials', () => root.delete(`/geo_nodes/${id}/credentials`)],
          ] as [string, () => Promise<Answer>][])
        : []),
      [
        `${name}.repair`,
        async () => {
          if (index === 1) await root.delete(`/geo_nodes/${id}/credentials`)
          return root.post(`/${name}/${id}/repair`)
        },
      ],
      [`${name}.update`, () => root.put(`/${name}/${id}`, { enabled: false })],
      [`${name}.delete`, () => root.delete(`/${name}/${id}`)],
    ],
  )
  let target = 0
  return {
    'limit_exclusions.create': async () => {
      await root.put('/application/settings', { check_namespace_plan: true })
      return root.post(`/namespaces/${group}/storage/limit_exclusion`, { reason: 'paid' })
    },
    'limit_exclusions.delete': () => root.delete(`/namespaces/${group}/storage/limit_exclusion`),
    'project_aliases.create': () => root.post('/project_aliases', { project_id: project, name: 'alias' }),
    'project_aliases.delete': () => root.delete('/project_aliases/alias'),
    'member_roles.create': () =>
      made(root.post('/member_roles', { name: 'r', base_access_level: 10, read_code: true })),
    'member_roles.delete': () => root.delete(`/member_roles/${id}`),
    'appearance.update': () => root.put('/application/appearance', { title: 'Changed' }),
    'runners.reset_registration_token': () => root.post('/runners/reset_registration_token'),
    'system_hooks.create': () => made(root.post('/hooks', { url: 'http://hooks.example/x', token: secret })),
    'system_hooks.update': () => root.put(`/hooks/${id}`, { name: 'changed' }),
    'system_hooks.set_url_variable': () => root.put(`/hooks/${id}/url_variables/v`, { value: secret }),
    'system_hooks.delete_url_variable': () => root.delete(`/hooks/${id}/url_variables/v`),
    'system_hooks.delete': () => root.delete(`/hooks/${id}`),
    'topics.create': () => made(root.post('/topics', { name: 'one', title: 'One' })),
    'topics.update': () => root.put(`/topics/${id}`, { title: 'Changed' }),
    'topics.merge': async () => {
      target = (await root.post('/topics', { name: 'two', title: 'Two' })).body.id
      return root.post('/topics/merge', { source_topic_id: id, target_topic_id: target })
    },
    'topics.delete': () => root.delete(`/topics/${target}`),
    'background_jobs.retry': () =>
      makeFailedJob(server).then((job) => root.post(`/admin/background_jobs/${job}/retry`)),
    'background_jobs.delete': () => makeFailedJob(server).then((job) => root.delete(`/admin/background_jobs/${job}`)),
    'broadcast_messages.create': () => made(root.post('/broadcast_messages', { message: secret })),
    'broadcast_messages.update': () => root.put(`/broadcast_messages/${id}`, { message: `${secret}2` }),
    'broadcast_messages.delete': () => root.delete(`/broadcast_messages/${id}`),
    'instance_variables.create': () => root.post('/admin/ci/variables', { key: 'KEY', value: secret }),
    'instance_variables.update': () => root.put('/admin/ci/variables/KEY', { value: `${secret}2` }),
    'instance_variables.delete': () => root.delete('/admin/ci/variables/KEY'),
    'features.set': () => root.post('/features/x', { value: 'true' }),
    'features.delete': () => root.delete('/features/x'),
    'plan_limits.update': () => root.put('/application/plan_limits', { plan_name: 'default', ci_pipeline_size: 7 }),
    'settings.update': () => root.put('/application/settings', { akismet_api_key: secret }),
    'applications.create': () =>
      made(root.post('/applications', { name: 'a', redirect_uri: 'http://a.example/', scopes: 'api' })),
    'applications.renew': () => root.post(`/applications/${id}/renew-secret`),
    'applications.delete': () => root.delete(`/applications/${id}`),
    ...Object.fromEntries(nodes),
  }
}

/** The operations on accounts. */
function ofUsers(): Steps {
  let id = 0
  const at = () => `/users/${user}`
  const made = async (answer: Promise<Answer>) => {
    id = (await answer).body.id
    return answer
  }
  /** Changes the row of an account, for states that no request leads to. */
  const set = (changes: Record<string, unknown>) =>
    server.app.platform.database.write((tx) =>
      tx.updateTable('users').set(changes).where('id', '=', user).executeTakeFirst(),
    )
  const account = (name: string) => ({ email: `${name}@x.example`, name, username: name, password: 'correct horse 42' })
  return {
    'users.create': () => made(root.post('/users', account('fresh'))),
    'users.delete': () => root.delete(`/users/${id}`),
    'users.update': () => root.put(at(), { provider: 'p', extern_uid: 'u', password: secret }),
    'users.delete_identity': () => root.delete(`${at()}/identities/p`),
    'users.disable_two_factor': async () => {
      await set({ two_factor_enabled: true })
      return root.patch(`${at()}/disable_two_factor`)
    },
    'user_custom_attributes.put': () => root.put(`${at()}/custom_attributes/a`, { value: secret }),
    'user_custom_attributes.delete': () => root.delete(`${at()}/custom_attributes/a`),
    'users_emails.create': () => made(root.post(`${at()}/emails`, { email: 'second@x.example' })),
    'users_emails.delete': () => root.delete(`${at()}/emails/${id}`),
    'users_keys.create': () => made(root.post(`${at()}/keys`, { title: 'k', key: ed25519Line('audit 3') })),
    'users_keys.delete': () => root.delete(`${at()}/keys/${id}`),
    'users_gpg_keys.create': async () => {
      const { publicText } = await makeKey(['target@example.com'])
      return made(root.post(`${at()}/gpg_keys`, { key: publicText }))
    },
    'users_gpg_keys.delete': () => root.delete(`${at()}/gpg_keys/${id}`),
    'users_gpg_keys.revoke': async () => {
      const { publicText } = await makeKey(['target@example.com'])
      const key = (await root.post(`${at()}/gpg_keys`, { key: publicText })).body.id
      return root.post(`${at()}/gpg_keys/${key}/revoke`)
    },
    'impersonation_tokens.create': () =>
      made(root.post(`${at()}/impersonation_tokens`, { name: 'i', scopes: ['api'] })),
    'impersonation_tokens.delete': () => root.delete(`${at()}/impersonation_tokens/${id}`),
    'personal_access_tokens.create_for': () =>
      root.post(`${at()}/personal_access_tokens`, { name: 'p', scopes: ['api'] }),
    'users_support_pin.revoke': async () => {
      await server.app.platform.database.write((tx) =>
        tx
          .insertInto('support_pins')
          .values({ user_id: user, sealed_pin: secret, expires_at: '2999-01-01T00:00:00.000Z' })
          .execute(),
      )
      return root.post(`${at()}/support_pin/revoke`)
    },
    'service_accounts.create': () => made(root.post('/service_accounts', { name: 'Robot' })),
    'service_accounts.update': () => root.patch(`/service_accounts/${id}`, { name: 'Robot 2' }),
    'users.block': () => root.post(`${at()}/block`),
    'users.unblock': () => root.post(`${at()}/unblock`),
    'users.ban': () => root.post(`${at()}/ban`),
    'users.unban': () => root.post(`${at()}/unban`),
    'users.deactivate': async () => {
      await set({ last_activity_on: null, current_sign_in_at: null })
      return root.post(`${at()}/deactivate`)
    },
    'users.activate': () => root.post(`${at()}/activate`),
    'users.approve': async () => {
      await set({ state: 'blocked_pending_approval' })
      return root.post(`${at()}/approve`)
    },
    'users.reject': async () => {
      await set({ state: 'blocked_pending_approval' })
      return root.post(`${at()}/reject`)
    },
  }
}

/** Accounts of programs are accounts, and recorded as such. */
const recordedAs: Record<string, string> = {
  'service_accounts.create': 'users.create',
  'service_accounts.update': 'users.update',
}

const newest = async (last: number): Promise<AuditEventRow[]> => {
  const events = await auditEvents(server.app.platform.database.read, { limit: 20 })
  return events.filter(({ id }) => id > last)
}

test('every operation that administers leaves a line, in which no value is', async () => {
  const steps: Steps = {
    ...ofPlace(
      'project',
      () => `/projects/${project}`,
      () => owner,
    ),
    ...ofPlace(
      'group',
      () => `/groups/${group}`,
      () => owner,
    ),
    ...ofMembers('project', () => `/projects/${project}`),
    ...ofMembers('group', () => `/groups/${group}`),
    ...ofProjects(),
    ...ofInstance(),
    ...ofUsers(),
  }
  const writes = server.app.operations.filter(({ method }) => method !== 'GET' && method !== 'HEAD')
  const meant = writes.filter(
    ({ id, allow }) => administers.includes(allow) || [...ofRunners, ...ofRequests].includes(id),
  )
  const advice = 'add a step to src/modules/audit/acts.test.ts, or remove that of an operation that is gone'
  expect(Object.keys(steps).toSorted(), advice).toEqual(
    meant
      .map(({ id }) => id)
      .filter((id) => !leavesNothing.test(id))
      .toSorted(),
  )
  const missing: string[] = []
  let last = (await newest(0))[0]?.id ?? 0
  for (const [id, perform] of Object.entries(steps)) {
    const answer = await perform()
    expect([id, answer.status, JSON.stringify(answer.body)]).toEqual([
      id,
      expect.toSatisfy((s: number) => s < 300),
      expect.anything(),
    ])
    const lines = await newest(last)
    if (!lines.some(({ act }) => act === (recordedAs[id] ?? id)))
      missing.push(`${id}: call act(tx) of its context, or recordAct with this name`)
    last = lines[0]?.id ?? last
  }
  expect(missing).toEqual([])
  const all = await auditEvents(server.app.platform.database.read, { limit: 1000 })
  expect(JSON.stringify(all)).not.toContain(secret)
  const ids = new Set(server.app.operations.map(({ id }) => id))
  expect(all.map(({ act }) => act).filter((act) => !ids.has(act))).toEqual([])
})
