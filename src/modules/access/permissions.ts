import { type GroupAbility, groupPolicy, type ProjectAbility, projectPolicy } from './policy.ts'

/** The abilities that a permission adds to the base level of a member. */
type Additions = {
  project?: readonly ProjectAbility[]
  group?: readonly GroupAbility[]
  /** Of groups: in subgroups only. */
  subgroupsOnly?: true
}

const nothingToOpen: Additions = {}

/** The permissions of member roles, in their order in the API, and what each adds in projects and in groups (contract 25.10). */
export const permissionAbilities = {
  admin_cicd_variables: {
    project: ['read_variables', 'admin_variables'],
    group: ['read_variables', 'admin_variables'],
  },
  admin_compliance_framework: nothingToOpen,
  admin_group_member: { group: ['admin_members'] },
  admin_integrations: {
    project: ['read_integrations', 'admin_integrations'],
    group: ['read_integrations', 'admin_integrations'],
  },
  admin_merge_request: { project: ['approve_merge_requests'] },
  admin_protected_branch: {
    project: ['read_protected_branches', 'admin_protected_branches'],
    group: ['read_protected_branches', 'admin_protected_branches'],
  },
  admin_push_rules: {
    project: ['read_push_rules', 'admin_push_rules'],
    group: ['read_push_rules', 'admin_push_rules'],
  },
  admin_runners: { project: ['read_runners', 'admin_runners'], group: ['read_runners', 'admin_runners'] },
  admin_terraform_state: { project: ['read_terraform_states', 'admin_terraform_states'] },
  admin_vulnerability: nothingToOpen,
  admin_web_hook: { project: ['read_hooks', 'admin_hooks'], group: ['read_hooks', 'admin_hooks'] },
  archive_project: { project: ['archive_project'] },
  manage_deploy_tokens: {
    project: ['read_deploy_tokens', 'admin_deploy_tokens'],
    group: ['read_deploy_tokens', 'admin_deploy_tokens'],
  },
  manage_group_access_tokens: { group: ['admin_tokens'] },
  manage_merge_request_settings: {
    project: ['edit_merge_settings', 'read_approval_rules', 'read_approval_settings', 'admin_approval_rules'],
    group: ['read_approval_rules', 'read_approval_settings', 'admin_approval_rules'],
  },
  manage_project_access_tokens: { project: ['admin_tokens'] },
  manage_security_policy_link: nothingToOpen,
  read_code: { project: ['read_code'] },
  read_dependency: nothingToOpen,
  read_runners: { project: ['read_runners'], group: ['read_runners'] },
  read_vulnerability: nothingToOpen,
  remove_group: { group: ['delete_group'], subgroupsOnly: true },
  remove_project: { project: ['delete_project'] },
} as const satisfies Record<string, Additions>

export type Permission = keyof typeof permissionAbilities

/** The permissions of a member in a project or group, from all memberships that count there. */
export type Permissions = ReadonlySet<Permission>

export const noPermissions: Permissions = new Set()

export const permissionNames = Object.keys(permissionAbilities) as Permission[]

/** The level of a caller in a project or group, and the permissions of the member roles that count there. */
export type Standing = { level: number; permissions: Permissions }

const additionsOf = (permission: Permission): Additions => permissionAbilities[permission]

/** Whether a permission of a member adds an ability in a project. */
export function addsInProject(permissions: Permissions, ability: ProjectAbility): boolean {
  return [...permissions].some((one) => additionsOf(one).project?.includes(ability))
}

/** Whether a permission of a member adds an ability in a group. @param isTop whether no group is above it */
export function addsInGroup(permissions: Permissions, ability: GroupAbility, isTop: boolean): boolean {
  return [...permissions].some((one) => {
    const { group, subgroupsOnly } = additionsOf(one)
    return group?.includes(ability) && !(subgroupsOnly && isTop)
  })
}

/**
 * Whether a caller has everything that a permission adds in a project, or in a group and what is below it, by the level or by a
 * permission of their own. Only then may they give it to others.
 */
export function hasPermission(
  { level, permissions }: Standing,
  kind: 'project' | 'group',
  permission: Permission,
): boolean {
  if (permissions.has(permission)) return true
  const { project = [], group = [] } = additionsOf(permission)
  const inGroups = kind === 'group' ? group : []
  return (
    project.every((ability) => level >= projectPolicy[ability].role) &&
    inGroups.every((ability) => level >= groupPolicy[ability].role)
  )
}
