import type { AuditEventRow } from './tables.ts'

/** What an event says of its act, besides who and where (contract 26.7): one of these forms. */
type Phrase =
  | { form: 'add' | 'remove'; of: string }
  /** Without `of`, the attributes that the act names. */
  | { form: 'change'; of?: string }
  | { form: 'with' | 'failed_login' }
  | { form: 'message'; of: string }

/** How the acts of an operation are shown as events. */
export type EventForm = Phrase & {
  event: string
  /** What the part of the entity is, which the act names; without it the entity itself is meant. */
  part?: string
  /** The part is named by a text, which may look like an id. */
  isNamed?: true
}

const withPart = (form: EventForm, part?: string): EventForm => (part === undefined ? form : { ...form, part })
const adds = (event: string, of: string, part?: string) => withPart({ event, form: 'add', of }, part)
const removes = (event: string, of: string, part?: string) => withPart({ event, form: 'remove', of }, part)
const changes = (event: string, part?: string, of?: string) =>
  withPart({ event, form: 'change', ...(of !== undefined && { of }) }, part)
const says = (event: string, of: string, part?: string) => withPart({ event, form: 'message', of }, part)
const named = (form: EventForm): EventForm => ({ ...form, isNamed: true })

/** The forms of the operations of both projects and groups. @param of what the id of an operation ends with after the kind */
const ofBoth = (of: Readonly<Record<string, EventForm>>): [string, EventForm][] =>
  Object.entries(of).flatMap(([name, form]): [string, EventForm][] => [
    [`project_${name}`, form],
    [`group_${name}`, form],
  ])

const protectedBranches = {
  'protected_branches.create': named(adds('protected_branch_created', 'protected_branch', 'ProtectedBranch')),
  'protected_branches.update': named(changes('protected_branch_updated', 'ProtectedBranch')),
  'protected_branches.delete': named(removes('protected_branch_removed', 'protected_branch', 'ProtectedBranch')),
}

const both = ofBoth({
  'members.add': adds('member_created', 'user_access', 'User'),
  'members.update': changes('member_updated', 'User', 'user_access'),
  'members.remove': removes('member_destroyed', 'user_access', 'User'),
  'access_requests.approve': adds('member_created', 'user_access', 'User'),
  'variables.create': named(says('ci_variable_created', 'Added ci variable', 'Ci::Variable')),
  'variables.update': named(says('ci_variable_updated', 'Updated ci variable', 'Ci::Variable')),
  'variables.delete': named(says('ci_variable_deleted', 'Removed ci variable', 'Ci::Variable')),
  'deploy_tokens.create': says('deploy_token_created', 'Created deploy token', 'DeployToken'),
  'deploy_tokens.delete': says('deploy_token_revoked', 'Revoked deploy token', 'DeployToken'),
  'push_rules.create': changes('push_rules_created'),
  'push_rules.update': changes('push_rules_updated'),
  'push_rules.delete': says('push_rules_removed', 'Removed push rules'),
  'approval_setting.update': changes('approval_settings_updated'),
  ...protectedBranches,
})

/** The forms by the ids of operations, or `id:attribute` for the change of one attribute. */
const forms: Readonly<Record<string, EventForm>> = {
  ...Object.fromEntries(both),
  ...protectedBranches,
  'billable_members.delete': removes('member_destroyed', 'user_access', 'User'),
  'branches.protect': named(adds('protected_branch_created', 'protected_branch', 'ProtectedBranch')),
  'branches.unprotect': named(removes('protected_branch_removed', 'protected_branch', 'ProtectedBranch')),
  'approval_rules.create': says('approval_rule_created', 'Added approval rule', 'ApprovalProjectRule'),
  'approval_rules.update': changes('approval_rule_updated', 'ApprovalProjectRule'),
  'approval_rules.delete': says('approval_rule_deleted', 'Deleted approval rule', 'ApprovalProjectRule'),
  'group_approval_rules.create': says('approval_rule_created', 'Added approval rule', 'ApprovalGroupRule'),
  'group_approval_rules.update': changes('approval_rule_updated', 'ApprovalGroupRule'),
  'project_approvals.update': changes('approval_settings_updated'),
  'project_access_tokens.create': says('project_access_token_created', 'Created project access token', 'Token'),
  'project_access_tokens.delete': says('project_access_token_revoked', 'Revoked project access token', 'Token'),
  'group_access_tokens.create': says('group_access_token_created', 'Created group access token', 'Token'),
  'group_access_tokens.delete': says('group_access_token_revoked', 'Revoked group access token', 'Token'),
  'deploy_keys.create': says('deploy_key_added', 'Added deploy key', 'DeployKey'),
  'project_deploy_keys.create': says('deploy_key_added', 'Added deploy key', 'DeployKey'),
  'project_deploy_keys.enable': says('deploy_key_added', 'Enabled deploy key', 'DeployKey'),
  'project_deploy_keys.delete': says('deploy_key_removed', 'Removed deploy key', 'DeployKey'),
  'projects.create': adds('project_created', 'project'),
  'projects.create_for': adds('project_created', 'project'),
  'projects.delete': removes('project_destroyed', 'project'),
  'projects.archive': says('project_archived', 'Archived project'),
  'projects.unarchive': says('project_unarchived', 'Unarchived project'),
  'projects.update': changes('project_updated'),
  'projects.update:visibility': changes('project_visibility_level_updated'),
  'projects.update:name': changes('project_name_updated'),
  'projects.update:path': changes('project_path_updated'),
  'groups.create': adds('group_created', 'group'),
  'groups.delete': removes('group_destroyed', 'group'),
  'groups.archive': says('group_archived', 'Archived group'),
  'groups.unarchive': says('group_unarchived', 'Unarchived group'),
  'groups.update': changes('group_updated'),
  'groups.update:visibility': changes('group_visibility_level_updated'),
  'groups.update:name': changes('group_name_updated'),
  'groups.update:path': changes('group_path_updated'),
  'instance_variables.create': named(says('ci_variable_created', 'Added ci variable', 'Ci::InstanceVariable')),
  'instance_variables.update': named(says('ci_variable_updated', 'Updated ci variable', 'Ci::InstanceVariable')),
  'instance_variables.delete': named(says('ci_variable_deleted', 'Removed ci variable', 'Ci::InstanceVariable')),
  'personal_access_tokens.create_for': says('personal_access_token_created', 'Created personal access token', 'Token'),
  'personal_access_tokens.delete': says('personal_access_token_revoked', 'Revoked personal access token', 'Token'),
  'users.create': adds('user_created', 'user'),
  'users.delete': removes('user_destroyed', 'user'),
  'users.block': says('user_blocked', 'Blocked user'),
  'users.ban': says('user_banned', 'Banned user'),
  'users.activate': says('user_activate', 'Activated user'),
  'users.update': changes('user_updated'),
  'users.update:password': changes('user_password_updated'),
  'users.update:email': changes('user_email_updated'),
  'user_password.update': says('user_password_updated', 'Changed password'),
  'users_keys.create': says('add_ssh_key', 'Added SSH key', 'Key'),
  'users_keys.delete': says('remove_ssh_key', 'Removed SSH key', 'Key'),
  'users.sign_in': { event: 'authenticated_with_password', form: 'with' },
  'users.fail_sign_in': { event: 'login_failed_with_standard_authentication', form: 'failed_login' },
  'settings.update': changes('application_setting_updated'),
  'features.set': named(changes('feature_flag_updated')),
  'features.delete': named(changes('feature_flag_deleted')),
}

/** `project hook` of `project_hooks`. */
function singular(name: string): string {
  return name
    .replaceAll('_', ' ')
    .replace(/ies$/, 'y')
    .replace(/([^s])s$/, '$1')
}

/** The form of an act without one of its own: `Create project hook` of `project_hooks.create`. */
function derivedForm(act: string): EventForm {
  const [things = '', verb = ''] = act.split('.')
  const words = verb.replaceAll('_', ' ')
  const of = `${words.charAt(0).toUpperCase()}${words.slice(1)} ${singular(things)}`
  return { event: act.replaceAll('.', '_'), form: 'message', of }
}

/** How an act is shown as an event (contract 26 R5). */
export function formOf({ act, changed }: Pick<AuditEventRow, 'act' | 'changed'>): EventForm {
  const ofAttribute = changed.map((name) => forms[`${act}:${name}`]).find((form) => form !== undefined)
  return ofAttribute ?? forms[act] ?? derivedForm(act)
}
