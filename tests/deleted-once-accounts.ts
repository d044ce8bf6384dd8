/** Makers of what operations delete: users, tokens, groups, projects, and what belongs to the instance. */
import { makeFailedJob } from '../src/modules/background-jobs/testing.ts'
import { changeAddress, enterprise, verifiedDomain } from '../src/modules/enterprise-users/testing.ts'
import { makeKey } from '../src/modules/gpg-keys/testing.ts'
import { makeGrant } from '../src/modules/oauth/testing.ts'
import { makeSession } from '../src/modules/sessions/testing.ts'
import { enableTwoFactor } from '../src/modules/users/testing.ts'
import { type Maker, made, newSshKey, posted, type World } from './deleted-once-world.ts'

type Parent = (world: World) => string
const project: Parent = ({ inProject }) => inProject
const group: Parent = ({ inGroup }) => inGroup

/** A link to an LDAP group, deleted by this end of its address. */
const ldapLink =
  (end: (cn: string) => string): Maker =>
  async (world) => {
    const [path, cn] = [`${group(world)}/ldap_group_links`, world.name()]
    await world.post(path, { provider: 'main', cn, group_access: 30 })
    return `${path}${end(cn)}`
  }

const attributeOf =
  (pathOf: (world: World) => string | Promise<string>): Maker =>
  async (world) => {
    const path = `${await pathOf(world)}/custom_attributes/${world.name()}`
    made(await world.root.put(path, { value: 'x' }))
    return path
  }

const shared =
  (parent: Parent): Maker =>
  async (world) => {
    const { id } = await world.newGroup()
    await world.post(`${parent(world)}/share`, { group_id: id, group_access: 30 })
    return `${parent(world)}/share/${id}`
  }

const allowed =
  (kind: 'project' | 'group'): Maker =>
  async (world) => {
    const { id } = await (kind === 'group' ? world.newGroup() : world.newProject())
    const path = `${project(world)}/job_token_scope/${kind === 'group' ? 'groups_' : ''}allowlist`
    await world.post(path, { [`target_${kind}_id`]: id })
    return `${path}/${id}`
  }

const member =
  (parent: Parent): Maker =>
  async (world) => {
    const { id } = await world.user()
    await world.post(`${parent(world)}/members`, { user_id: id, access_level: 30 })
    return `${parent(world)}/members/${id}`
  }

const invitation =
  (parent: Parent): Maker =>
  async (world) => {
    const email = `${world.name()}@invited.test`
    await world.post(`${parent(world)}/invitations`, { email, access_level: 30 })
    return `${parent(world)}/invitations/${email}`
  }

const accessRequest =
  (kind: 'projects' | 'groups'): Maker =>
  async (world) => {
    const path = world.name()
    const { id } = await world.post(`/${kind}`, { name: path, path, visibility: 'public' })
    const user = await world.user()
    made(await user.post(`/${kind}/${id}/access_requests`))
    return `/${kind}/${id}/access_requests/${user.id}`
  }

const soon = () => new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10)

const deployToken = (name: string) => ({ name, scopes: ['read_repository'] })
const accessToken = (name: string) => ({ name, scopes: ['api'], expires_at: soon(), access_level: 30 })

const domain: Maker = async (world) => {
  const place = await enterprise(world.server, world.name())
  const name = `${world.name()}.test`
  made(await place.owner.post(place.domains, { domain: name }))
  return `${place.domains}/${name}`
}

const enterpriseUser: Maker = async (world) => {
  const name = world.name()
  const place = await enterprise(world.server, name)
  const user = await world.user()
  await changeAddress(world.server, user, `one@${name}.test`)
  await verifiedDomain(world.server, place, `${name}.test`)
  return { path: `${place.users}/${user.id}`, as: place.owner }
}

const serviceAccount = (parent: Parent): Maker =>
  posted(
    (world) => `${parent(world)}/service_accounts`,
    (name) => ({ name }),
  )

const node = (naming: string): Maker =>
  posted(
    () => `/${naming}`,
    (name) => ({ name, url: `https://${name}.test` }),
  )

const gpgKey =
  (isOwn: boolean): Maker =>
  async (world) => {
    const user = await world.user()
    const { publicText } = await makeKey([`${user.username}@example.com`])
    const { id } = made(await user.post('/user/gpg_keys', { key: publicText }))
    return isOwn ? { path: `/user/gpg_keys/${id}`, as: user } : `/users/${user.id}/gpg_keys/${id}`
  }

/** Makes something of another user, by root. @param below the last part of its path */
const ofUser =
  (below: string, given: (name: string) => object): Maker =>
  async (world) => {
    const { id } = await world.user()
    return posted(() => `/users/${id}/${below}`, given)(world)
  }

const session: Maker = async ({ server, user }) => {
  const as = await user()
  const { id } = await makeSession(server, as)
  return { path: `/user/sessions/${id}`, as }
}

const authorizedApplication: Maker = async ({ server, user }) => {
  const as = await user()
  const { id } = await makeGrant(server, as)
  return { path: `/user/authorized_applications/${id}`, as }
}

const twoFactor: Maker = async ({ server, user }) => {
  const as = await user()
  const { codes } = await enableTwoFactor(server, as)
  return { path: '/user/two_factor', as, body: { code: codes[0] } }
}

const sshKey = (title: string) => ({ title, key: newSshKey() })
const ownAddress = (name: string) => ({ email: `${name}@own.test` })

const identity: Maker = async (world) => {
  const { id } = await world.user()
  made(await world.root.put(`/users/${id}`, { provider: 'saml', extern_uid: world.name() }))
  return `/users/${id}/identities/saml`
}

const personalToken: Maker = async (world) => {
  const { id } = await world.user()
  const token = await world.post(`/users/${id}/personal_access_tokens`, accessToken(world.name()))
  return `/personal_access_tokens/${token.id}`
}

const ownToken: Maker = async (world) => {
  const as = world.server.as(await world.server.make.token(await world.user(), ['api']))
  return { path: '/personal_access_tokens/self', as }
}

const tokenOfServiceAccount =
  (parent: Parent): Maker =>
  async (world) => {
    const accounts = `${parent(world)}/service_accounts`
    const { id } = await world.post(accounts, { name: world.name() })
    return posted(() => `${accounts}/${id}/personal_access_tokens`, accessToken)(world)
  }

const nodeCredentials: Maker = async (world) => {
  const path = await node('geo_nodes')(world)
  await world.post(`${path}/credentials`)
  return `${path}/credentials`
}

const fork: Maker = async (world) => {
  const name = world.name()
  const { id } = await world.post(`${world.inProject}/fork`, { name, path: name, namespace_id: world.group.id })
  return `/projects/${id}/fork`
}

const feature: Maker = async (world) => {
  const name = world.name()
  await world.post(`/features/${name}`, { value: true })
  return `/features/${name}`
}

const hook = (name: string) => ({ url: `https://${name}.test` })

/** A header or a variable of a hook. */
const keyedOfHook =
  (hooksOf: (world: World) => string, below: string): Maker =>
  async (world) => {
    const hooks = hooksOf(world)
    const { id } = await world.post(hooks, hook(world.name()))
    const path = `${hooks}/${id}/${below}/${world.name()}`
    made(await world.root.put(path, { value: 'value' }))
    return path
  }

/** Makers by the id of the operation. */
export const accountMakers: Readonly<Record<string, Maker>> = {
  'ldap_group_links.delete': ldapLink((cn) => `?provider=main&cn=${cn}`),
  'ldap_group_links.delete_cn': ldapLink((cn) => `/${cn}`),
  'ldap_group_links.delete_provider': ldapLink((cn) => `/main/${cn}`),
  'saml_group_links.delete': posted(
    ({ inGroup }) => `${inGroup}/saml_group_links`,
    (name) => ({ saml_group_name: name, access_level: 30 }),
    'name',
  ),
  'project_aliases.delete': async (world) => {
    const { name } = await world.post('/project_aliases', { project_id: world.project.id, name: world.name() })
    return `/project_aliases/${name}`
  },
  'limit_exclusions.delete': async (world) => {
    made(await world.root.put('/application/settings', { check_namespace_plan: true }))
    const path = `/namespaces/${(await world.newGroup()).id}/storage/limit_exclusion`
    await world.post(path, { reason: 'paid' })
    return path
  },
  'member_roles.delete': posted(
    () => '/member_roles',
    (name) => ({ name, base_access_level: 10, read_code: true }),
  ),
  'group_member_roles.delete': async (world) => {
    const path = `/groups/${(await world.newGroup()).id}/member_roles`
    return `${path}/${(await world.post(path, { base_access_level: 10, read_code: true })).id}`
  },
  'applications.delete': posted(
    () => '/applications',
    (name) => ({ name, redirect_uri: 'https://example.com', scopes: 'api' }),
  ),
  'user_custom_attributes.delete': attributeOf(async (world) => `/users/${(await world.user()).id}`),
  'group_custom_attributes.delete': attributeOf(group),
  'project_custom_attributes.delete': attributeOf(project),
  'users.delete_identity': identity,
  'users.delete': async (world) => `/users/${(await world.user()).id}`,
  'user_emails.delete': posted(() => '/user/emails', ownAddress),
  'sessions.delete': session,
  'authorized_applications.delete': authorizedApplication,
  'user_two_factor.disable': twoFactor,
  'users_emails.delete': ofUser('emails', ownAddress),
  'user_keys.delete': posted(() => '/user/keys', sshKey),
  'users_keys.delete': ofUser('keys', sshKey),
  'user_gpg_keys.delete': gpgKey(true),
  'users_gpg_keys.delete': gpgKey(false),
  'groups.delete': async (world) => `/groups/${(await world.newGroup()).id}`,
  'groups.unshare': shared(group),
  'projects.unshare': shared(project),
  'job_token_allowlist.remove': allowed('project'),
  'job_token_groups.remove': allowed('group'),
  'projects.delete': async (world) => `/projects/${(await world.newProject()).id}`,
  'projects.fork_unlink': fork,
  'topics.delete': posted(
    () => '/topics',
    (name) => ({ name, title: name }),
  ),
  'billable_members.delete': async (world) => {
    const { id } = await world.user()
    const top = await world.newGroup()
    await world.post(`/groups/${top.id}/members`, { user_id: id, access_level: 30 })
    return `/groups/${top.id}/billable_members/${id}`
  },
  'project_members.remove': member(project),
  'group_members.remove': member(group),
  'project_invitations.delete': invitation(project),
  'group_invitations.delete': invitation(group),
  'project_access_requests.delete': accessRequest('projects'),
  'group_access_requests.delete': accessRequest('groups'),
  'impersonation_tokens.delete': ofUser('impersonation_tokens', accessToken),
  'personal_access_tokens.delete': personalToken,
  'personal_access_tokens.delete_self': ownToken,
  'project_access_tokens.delete': posted((world) => `${project(world)}/access_tokens`, accessToken),
  'group_access_tokens.delete': posted((world) => `${group(world)}/access_tokens`, accessToken),
  'project_deploy_tokens.delete': posted((world) => `${project(world)}/deploy_tokens`, deployToken),
  'group_deploy_tokens.delete': posted((world) => `${group(world)}/deploy_tokens`, deployToken),
  'project_service_accounts.delete': serviceAccount(project),
  'group_service_accounts.delete': serviceAccount(group),
  'project_service_account_tokens.revoke': tokenOfServiceAccount(project),
  'service_account_tokens.revoke': tokenOfServiceAccount(group),
  'ssh_certificates.delete': posted((world) => `${group(world)}/ssh_certificates`, sshKey),
  'enterprise_users.delete': enterpriseUser,
  'group_domains.delete': domain,
  'features.delete': feature,
  'background_jobs.delete': async ({ server }) => `/admin/background_jobs/${await makeFailedJob(server)}`,
  'broadcast_messages.delete': posted(
    () => '/broadcast_messages',
    (message) => ({ message }),
  ),
  'geo_nodes.delete': node('geo_nodes'),
  'geo_sites.delete': node('geo_sites'),
  'geo_nodes.delete_credentials': nodeCredentials,
  'project_hooks.delete': posted((world) => `${project(world)}/hooks`, hook),
  'group_hooks.delete': posted((world) => `${group(world)}/hooks`, hook),
  'system_hooks.delete': posted(() => '/hooks', hook),
  'project_hooks.delete_url_variable': keyedOfHook((world) => `${project(world)}/hooks`, 'url_variables'),
  'project_hooks.delete_custom_header': keyedOfHook((world) => `${project(world)}/hooks`, 'custom_headers'),
  'group_hooks.delete_url_variable': keyedOfHook((world) => `${group(world)}/hooks`, 'url_variables'),
  'group_hooks.delete_custom_header': keyedOfHook((world) => `${group(world)}/hooks`, 'custom_headers'),
  'system_hooks.delete_url_variable': keyedOfHook(() => '/hooks', 'url_variables'),
}
