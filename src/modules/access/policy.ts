/** The ladder of roles (contract 00, "Role ladder"). */
export const role = {
  none: 0,
  minimal: 5,
  guest: 10,
  planner: 15,
  reporter: 20,
  developer: 30,
  maintainer: 40,
  owner: 50,
  /** No role that a membership may have; only administrators come up to it. */
  administrator: 60,
} as const

/** The role levels that a membership may have. */
export const memberLevels = [5, 10, 15, 20, 30, 40, 50] as const

const roleNames: Record<number, string> = {
  0: 'No access',
  5: 'Minimal access',
  10: 'Guest',
  15: 'Planner',
  20: 'Reporter',
  30: 'Developer',
  40: 'Maintainer',
  50: 'Owner',
}

/** What people call the role of a level, such as `Maintainer`. */
export function roleName(level: number): string {
  return roleNames[level] ?? String(level)
}

/** One line of the policy: who has an ability. */
export type Rule = {
  /** The least role. Administrators count as owners. */
  role: number
  /** Whether those who merely may see the thing have it too, by its visibility: everybody, or everybody signed in. */
  visible?: 'everybody' | 'signed-in'
  /** Whether only administrators have it; they are told so before the thing is looked up (contract 00, step 8). */
  administrators?: true
  /** Whether the ability is one of writing, so that an archived or leaving thing refuses it. */
  writes?: boolean
  /** The feature of the project without which there is nothing to do (contract 00, "Visibility and code access"). */
  feature?: 'repository' | 'wiki'
}

/**
 * Who may do what with a project. Read it from top to bottom: this is the whole of it (contract 00, 21 R2).
 * What only signed-in callers may do has no `visible: 'everybody'`.
 */
export const projectPolicy = {
  read_project: { role: role.guest, visible: 'everybody' },
  read_project_members: { role: role.guest, visible: 'signed-in' },
  star_project: { role: role.guest, visible: 'signed-in' },
  // Whether it may be forked is for the source to say: it answers 404 where it may not.
  ask_for_fork: { role: role.guest, visible: 'signed-in' },
  fork_project: { role: role.reporter, visible: 'signed-in', feature: 'repository' },
  read_code: { role: role.reporter, visible: 'everybody', feature: 'repository' },
  comment_on_commits: { role: role.reporter, visible: 'signed-in', writes: true, feature: 'repository' },
  push_code: { role: role.developer, writes: true, feature: 'repository' },
  set_commit_status: { role: role.developer, writes: true, feature: 'repository' },
  // What of a release comes from the code is shown to those alone who may read that.
  read_releases: { role: role.guest, visible: 'everybody', feature: 'repository' },
  collect_release_evidence: { role: role.maintainer, writes: true, feature: 'repository' },
  read_protected_branches: { role: role.reporter, visible: 'signed-in', feature: 'repository' },
  admin_protected_branches: { role: role.maintainer, writes: true, feature: 'repository' },
  read_protected_tags: { role: role.maintainer, feature: 'repository' },
  admin_protected_tags: { role: role.maintainer, writes: true, feature: 'repository' },
  delete_merged_branches: { role: role.developer, writes: true, feature: 'repository' },
  read_wiki: { role: role.guest, visible: 'everybody', feature: 'wiki' },
  write_wiki: { role: role.developer, writes: true, feature: 'wiki' },
  delete_wiki_pages: { role: role.maintainer, writes: true, feature: 'wiki' },
  admin_project: { role: role.maintainer },
  edit_project: { role: role.maintainer, writes: true },
  admin_members: { role: role.maintainer },
  leave_project: { role: role.guest, visible: 'signed-in' },
  rotate_own_token: { role: role.guest, visible: 'signed-in' },
  admin_tokens: { role: role.maintainer },
  read_deploy_tokens: { role: role.maintainer },
  admin_deploy_tokens: { role: role.maintainer },
  read_deploy_keys: { role: role.maintainer },
  admin_deploy_keys: { role: role.maintainer },
  read_push_rules: { role: role.maintainer },
  admin_push_rules: { role: role.maintainer, writes: true },
  read_mirrors: { role: role.maintainer },
  admin_mirrors: { role: role.maintainer, writes: true },
  share_project: { role: role.maintainer, writes: true },
  own_project: { role: role.owner },
  link_fork: { role: role.owner, writes: true },
  transfer_project: { role: role.owner, writes: true },
  administer_project: { role: role.administrator, administrators: true },
} as const satisfies Record<string, Rule>

/** Who may do what with a group. */
export const groupPolicy = {
  read_group: { role: role.guest, visible: 'everybody' },
  read_group_shares: { role: role.guest, visible: 'signed-in' },
  read_group_members: { role: role.guest, visible: 'signed-in' },
  create_subgroup: { role: role.maintainer, writes: true },
  read_wiki: { role: role.guest, visible: 'everybody', feature: 'wiki' },
  write_wiki: { role: role.developer, writes: true, feature: 'wiki' },
  delete_wiki_pages: { role: role.maintainer, writes: true, feature: 'wiki' },
  admin_members: { role: role.owner },
  leave_group: { role: role.guest, visible: 'signed-in' },
  admin_deploy_tokens: { role: role.owner },
  read_deploy_tokens: { role: role.maintainer },
  rotate_own_token: { role: role.guest, visible: 'signed-in' },
  admin_tokens: { role: role.owner },
  read_push_rules: { role: role.owner },
  admin_push_rules: { role: role.owner, writes: true },
  admin_group: { role: role.owner, writes: true },
  own_group: { role: role.owner },
  administer_group: { role: role.administrator, administrators: true },
} as const satisfies Record<string, Rule>

export type ProjectAbility = keyof typeof projectPolicy
export type GroupAbility = keyof typeof groupPolicy
