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
  /** Not the role of any membership; only administrators reach it. */
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

/** The name of a level's role, such as `Maintainer`. */
export function roleName(level: number): string {
  return roleNames[level] ?? String(level)
}

/**
 * The features of a project that have an access level (`issues_access_level` …), each with the status for callers to whom
 * it is not available: 404, unless its part of the contract says 403 (contract 00, "Visibility and code access"; 04, 07,
 * 09, 19, 23, 24).
 */
export const projectFeatures = {
  repository: 404,
  issues: 404,
  merge_requests: 403,
  forking: 404,
  wiki: 403,
  builds: 403,
  snippets: 403,
  pages: 404,
  analytics: 404,
  container_registry: 403,
  security_and_compliance: 404,
  releases: 404,
  environments: 403,
  feature_flags: 403,
  infrastructure: 404,
  monitor: 403,
  model_experiments: 404,
  model_registry: 404,
  package_registry: 403,
  requirements: 404,
} as const satisfies Record<string, 403 | 404>

export type ProjectFeature = keyof typeof projectFeatures

/** Minimal role for a feature whose access level is `private`; Guest where none is named (contract 02 R2, 23 R1). */
export const privateFeatureRoles: Partial<Record<ProjectFeature, number>> = {
  container_registry: role.reporter,
  package_registry: role.reporter,
}

/** One line of the policy: who has an ability. */
export type Rule = {
  /** Minimal role. Administrators count as owners. */
  role: number
  /** Also granted without a role where the visibility admits the caller: to all callers, or to signed-in users only. */
  visible?: 'public' | 'signed-in'
  /** Of groups: also granted to those who have a role in a project below the group (contract 21 R3). */
  fromBelow?: true
  /** Anonymous callers get 404 for what they cannot see, and 401 otherwise, instead of 401 in every case (contract 1.2). */
  hidesFromAnonymous?: true
  /** Only administrators have it; others get 403 before the look-up (contract 00, step 8). */
  administrators?: true
  /** The ability writes: projects and groups that are archived or marked for deletion refuse it. */
  writes?: boolean
  /** The feature that has to be on and readable for the caller (contract 00, "Visibility and code access"). */
  feature?: ProjectFeature
  /** The status for callers to whom the feature is not available, where it is not that of the feature. */
  withoutFeature?: 403
  /** The feature stands on code, which has to be readable as well. */
  needsCode?: true
  /** Of projects: the caller needs one of these abilities as well; without any, the resource does not exist for them. */
  oneOf?: readonly string[]
}

/** What is about merge requests needs them and the code to be readable (contract 19, "Permissions"). */
const onMergeRequests = { feature: 'merge_requests', needsCode: true } as const

/** Labels and milestones are about issues and merge requests, and visible with them (contract 17, "Roles"). */
const ofIssuables = { oneOf: ['read_issues', 'read_merge_requests'] } as const

/** Boards show issues, and are refused with 403 where the feature is off (contract 25, Boards). */
const onBoards = { feature: 'issues', withoutFeature: 403 } as const

/**
 * The abilities of projects (contract 00, 21 R2). Only those with `visible: 'public'` are open to anonymous users.
 * An ability that groups have too has the same name in `groupPolicy`.
 */
export const projectPolicy = {
  read_project: { role: role.guest, visible: 'public' },
  read_members: { role: role.guest, visible: 'signed-in' },
  search: { role: role.guest, visible: 'signed-in' },
  read_statistics: { role: role.reporter },
  set_notifications: { role: role.guest, visible: 'signed-in' },
  star_project: { role: role.guest, visible: 'signed-in' },
  // The operation itself answers 404 when the caller may not read the source.
  ask_for_fork: { role: role.guest, visible: 'signed-in' },
  fork_project: { role: role.reporter, visible: 'signed-in', feature: 'repository' },
  read_code: { role: role.reporter, visible: 'public', feature: 'repository' },
  comment_on_commits: { role: role.reporter, visible: 'signed-in', writes: true, feature: 'repository' },
  push_code: { role: role.developer, writes: true, feature: 'repository' },
  lint_ci: { role: role.developer, feature: 'builds' },
  // Whether a reader who is no member counts, the setting `public_jobs` decides (contract 04, CI access rule).
  read_pipelines: { role: role.guest, visible: 'public', feature: 'builds' },
  read_jobs: { role: role.guest, visible: 'signed-in', feature: 'builds' },
  read_pipeline_variables: { role: role.developer, feature: 'builds' },
  run_pipelines: { role: role.developer, writes: true, feature: 'builds' },
  delete_artifacts: { role: role.maintainer, writes: true, feature: 'builds' },
  delete_pipelines: { role: role.owner, writes: true, feature: 'builds' },
  read_resource_groups: { role: role.developer, feature: 'builds' },
  read_freeze_periods: { role: role.reporter, feature: 'builds' },
  admin_freeze_periods: { role: role.maintainer, writes: true, feature: 'builds' },
  read_environments: { role: role.reporter, visible: 'signed-in', feature: 'environments' },
  write_environments: { role: role.developer, writes: true, feature: 'environments' },
  // The operation itself refuses callers whom no rule asks.
  approve_deployments: { role: role.reporter, visible: 'signed-in', writes: true, feature: 'environments' },
  admin_environments: { role: role.maintainer, writes: true, feature: 'environments' },
  read_protected_environments: { role: role.maintainer, feature: 'environments' },
  admin_protected_environments: { role: role.maintainer, writes: true, feature: 'environments' },
  set_commit_status: { role: role.developer, writes: true, feature: 'repository' },
  // The parts of a release that come from the code also require read_code.
  read_releases: { role: role.guest, visible: 'public', feature: 'repository' },
  collect_release_evidence: { role: role.maintainer, writes: true, feature: 'repository' },
  read_protected_branches: { role: role.reporter, visible: 'signed-in', feature: 'repository' },
  admin_protected_branches: { role: role.maintainer, writes: true, feature: 'repository' },
  read_protected_tags: { role: role.maintainer, feature: 'repository' },
  admin_protected_tags: { role: role.maintainer, writes: true, feature: 'repository' },
  delete_merged_branches: { role: role.developer, writes: true, feature: 'repository' },
  read_labels: { role: role.guest, visible: 'signed-in', ...ofIssuables },
  admin_labels: { role: role.planner, writes: true, ...ofIssuables },
  read_milestones: { role: role.guest, visible: 'public', ...ofIssuables },
  admin_milestones: { role: role.planner, writes: true, ...ofIssuables },
  read_iterations: { role: role.guest },
  // Whether a caller can read or change one issue also depends on the issue (contract 16, Permissions).
  read_issues: { role: role.guest, visible: 'public', feature: 'issues' },
  read_issue_activity: { role: role.guest, visible: 'signed-in', feature: 'issues' },
  take_part_in_issues: { role: role.guest, visible: 'signed-in', writes: true, feature: 'issues' },
  plan_issues: { role: role.planner, writes: true, feature: 'issues' },
  admin_incident_images: { role: role.reporter, writes: true, feature: 'issues' },
  read_boards: { role: role.guest, visible: 'signed-in', ...onBoards },
  admin_boards: { role: role.planner, writes: true, ...onBoards },
  read_merge_requests: { role: role.reporter, visible: 'public', ...onMergeRequests },
  // Comments, reactions and records, which anonymous readers do not see.
  follow_merge_requests: { role: role.reporter, visible: 'signed-in', ...onMergeRequests },
  // The operation itself answers 401 to those who may not merge into the branch.
  comment_on_merge_requests: { role: role.reporter, visible: 'signed-in', writes: true, ...onMergeRequests },
  create_merge_requests: { role: role.developer, writes: true, ...onMergeRequests },
  // Of reporters only the author.
  update_merge_requests: { role: role.reporter, writes: true, ...onMergeRequests },
  approve_merge_requests: { role: role.developer, writes: true, ...onMergeRequests },
  read_merge_trains: { role: role.developer, ...onMergeRequests },
  // The operation itself answers 401 to those who may not merge into the branch.
  add_to_merge_trains: { role: role.developer, writes: true, ...onMergeRequests },
  read_approval_rules: { role: role.developer, ...onMergeRequests },
  read_approval_settings: { role: role.maintainer, ...onMergeRequests },
  admin_approval_rules: { role: role.maintainer, writes: true, ...onMergeRequests },
  read_status_checks: { role: role.reporter, ...onMergeRequests },
  answer_status_checks: { role: role.developer, writes: true, ...onMergeRequests },
  read_status_check_settings: { role: role.maintainer, ...onMergeRequests },
  admin_status_checks: { role: role.maintainer, writes: true, ...onMergeRequests },
  delete_merge_requests: { role: role.owner, writes: true, ...onMergeRequests },
  read_wiki: { role: role.guest, visible: 'public', feature: 'wiki' },
  write_wiki: { role: role.developer, writes: true, feature: 'wiki' },
  delete_wiki_pages: { role: role.maintainer, writes: true, feature: 'wiki' },
  read_snippets: { role: role.guest, visible: 'public', feature: 'snippets' },
  list_snippets: { role: role.guest, visible: 'signed-in', feature: 'snippets' },
  create_snippets: { role: role.reporter, writes: true, feature: 'snippets' },
  comment_on_snippets: { role: role.guest, visible: 'signed-in', writes: true, feature: 'snippets' },
  update_snippets: { role: role.reporter, writes: true, feature: 'snippets' },
  read_container_images: { role: role.reporter, visible: 'public', feature: 'container_registry' },
  push_container_images: { role: role.developer, writes: true, feature: 'container_registry' },
  delete_container_tags: { role: role.developer, writes: true, feature: 'container_registry' },
  delete_container_images: { role: role.maintainer, writes: true, feature: 'container_registry' },
  read_container_protection: { role: role.maintainer, feature: 'container_registry' },
  admin_container_protection: { role: role.maintainer, writes: true, feature: 'container_registry' },
  // A feature flag opens it to guests of private projects, and deploy tokens are not asked (contract 23 R1, R2).
  read_packages: { role: role.reporter, visible: 'public', feature: 'package_registry' },
  publish_packages: { role: role.developer, writes: true, feature: 'package_registry' },
  delete_packages: { role: role.maintainer, writes: true, feature: 'package_registry' },
  read_package_protection: { role: role.maintainer, feature: 'package_registry' },
  admin_package_protection: { role: role.maintainer, writes: true, feature: 'package_registry' },
  create_uploads: { role: role.guest, visible: 'signed-in', writes: true },
  read_uploads: { role: role.guest },
  admin_uploads: { role: role.maintainer },
  delete_uploads: { role: role.maintainer, writes: true },
  export_relations: { role: role.maintainer },
  admin_project: { role: role.maintainer },
  edit_project: { role: role.maintainer, writes: true },
  // The settings about merging only; all others of the same operation need `edit_project`.
  edit_merge_settings: { role: role.maintainer, writes: true },
  admin_members: { role: role.maintainer },
  leave: { role: role.guest, visible: 'signed-in' },
  // The operation itself refuses callers who have a role already.
  request_access: { role: role.guest, visible: 'signed-in' },
  rotate_own_token: { role: role.guest, visible: 'signed-in' },
  admin_tokens: { role: role.maintainer },
  read_deploy_tokens: { role: role.maintainer },
  admin_deploy_tokens: { role: role.maintainer },
  read_deploy_keys: { role: role.maintainer },
  admin_deploy_keys: { role: role.maintainer },
  // The operations themselves answer 404 where the feature is disabled: to members only it may be open (contract 24).
  read_pages: { role: role.maintainer },
  admin_pages: { role: role.maintainer, writes: true },
  read_group_domains: { role: role.maintainer },
  admin_group_domains: { role: role.maintainer, writes: true },
  read_push_rules: { role: role.maintainer },
  admin_push_rules: { role: role.maintainer, writes: true },
  read_variables: { role: role.maintainer },
  admin_variables: { role: role.maintainer, writes: true },
  read_hooks: { role: role.maintainer },
  admin_hooks: { role: role.maintainer, writes: true },
  read_badges: { role: role.guest, visible: 'public' },
  render_badges: { role: role.maintainer },
  admin_badges: { role: role.maintainer, writes: true },
  read_integrations: { role: role.maintainer },
  admin_integrations: { role: role.maintainer, writes: true },
  admin_job_token_scope: { role: role.maintainer, writes: true },
  read_runners: { role: role.maintainer, feature: 'builds' },
  admin_runners: { role: role.maintainer, writes: true, feature: 'builds' },
  read_triggers: { role: role.maintainer, feature: 'builds' },
  admin_triggers: { role: role.maintainer, writes: true, feature: 'builds' },
  read_secure_files: { role: role.developer, feature: 'builds' },
  admin_secure_files: { role: role.maintainer, writes: true, feature: 'builds' },
  read_terraform_states: { role: role.developer, feature: 'infrastructure' },
  admin_terraform_states: { role: role.maintainer, writes: true, feature: 'infrastructure' },
  read_cluster_agents: { role: role.developer },
  admin_cluster_agents: { role: role.maintainer, writes: true },
  read_feature_flags: { role: role.developer, feature: 'feature_flags' },
  admin_feature_flags: { role: role.developer, writes: true, feature: 'feature_flags' },
  reset_feature_flag_client: { role: role.maintainer, writes: true, feature: 'feature_flags' },
  read_alerts: { role: role.developer, feature: 'monitor' },
  manage_alerts: { role: role.developer, writes: true, feature: 'monitor' },
  read_alert_settings: { role: role.maintainer, feature: 'monitor' },
  admin_alert_settings: { role: role.maintainer, writes: true, feature: 'monitor' },
  read_error_tracking: { role: role.maintainer },
  admin_error_tracking: { role: role.maintainer, writes: true },
  read_mirrors: { role: role.maintainer },
  admin_mirrors: { role: role.maintainer, writes: true },
  // Of callers who may not read all, those that they caused.
  read_own_audit_events: { role: role.developer },
  read_audit_events: { role: role.maintainer },
  read_service_accounts: { role: role.maintainer },
  admin_service_accounts: { role: role.maintainer, writes: true },
  share: { role: role.maintainer, writes: true },
  archive_project: { role: role.owner },
  delete_project: { role: role.owner },
  own: { role: role.owner },
  link_fork: { role: role.owner, writes: true },
  transfer: { role: role.owner, writes: true },
  administer: { role: role.administrator, administrators: true },
} as const satisfies Record<string, Rule>

/** The abilities of groups. */
export const groupPolicy = {
  read_group: { role: role.guest, visible: 'public', fromBelow: true },
  read_group_shares: { role: role.guest, visible: 'signed-in' },
  read_members: { role: role.guest, visible: 'signed-in' },
  set_notifications: { role: role.guest, visible: 'signed-in', fromBelow: true },
  search: { role: role.guest, visible: 'signed-in', fromBelow: true },
  create_subgroup: { role: role.maintainer, writes: true },
  read_labels: { role: role.guest, visible: 'signed-in', fromBelow: true },
  admin_labels: { role: role.planner, writes: true },
  read_milestones: { role: role.guest, visible: 'public', fromBelow: true },
  admin_milestones: { role: role.planner, writes: true },
  read_boards: { role: role.guest, visible: 'signed-in', fromBelow: true },
  admin_boards: { role: role.planner, writes: true },
  read_iterations: { role: role.guest },
  admin_iterations: { role: role.planner, writes: true },
  read_wiki: { role: role.guest, visible: 'public', feature: 'wiki' },
  write_wiki: { role: role.developer, writes: true, feature: 'wiki' },
  delete_wiki_pages: { role: role.maintainer, writes: true, feature: 'wiki' },
  create_uploads: { role: role.guest, visible: 'signed-in', writes: true },
  read_uploads: { role: role.guest },
  admin_uploads: { role: role.maintainer },
  delete_uploads: { role: role.maintainer, writes: true },
  export_relations: { role: role.owner },
  admin_members: { role: role.owner },
  leave: { role: role.guest, visible: 'signed-in' },
  request_access: { role: role.guest, visible: 'signed-in' },
  // The operations themselves answer 400 to all but owners (contract 26.8).
  billable_members: { role: role.guest, visible: 'signed-in', fromBelow: true },
  admin_deploy_tokens: { role: role.owner },
  read_deploy_tokens: { role: role.maintainer },
  rotate_own_token: { role: role.guest, visible: 'signed-in' },
  admin_tokens: { role: role.owner },
  read_service_accounts: { role: role.owner },
  admin_service_accounts: { role: role.owner },
  admin_enterprise_users: { role: role.owner },
  admin_ssh_certificates: { role: role.owner },
  read_variables: { role: role.owner },
  admin_variables: { role: role.owner, writes: true },
  read_hooks: { role: role.owner },
  admin_hooks: { role: role.owner, writes: true },
  read_badges: { role: role.guest, visible: 'public', fromBelow: true },
  render_badges: { role: role.owner },
  admin_badges: { role: role.owner, writes: true },
  read_integrations: { role: role.maintainer },
  admin_integrations: { role: role.maintainer, writes: true },
  read_group_links: { role: role.owner },
  admin_group_links: { role: role.owner, writes: true },
  read_runners: { role: role.maintainer },
  admin_runners: { role: role.owner, writes: true },
  read_push_rules: { role: role.owner },
  admin_push_rules: { role: role.owner, writes: true },
  read_approval_rules: { role: role.owner },
  read_approval_settings: { role: role.owner },
  admin_approval_rules: { role: role.owner, writes: true },
  admin_group: { role: role.owner, writes: true },
  share: { role: role.owner, writes: true },
  transfer: { role: role.owner, writes: true },
  read_container_images: { role: role.reporter, hidesFromAnonymous: true },
  // The packages of those projects that the caller may read.
  read_packages: { role: role.guest, visible: 'public', fromBelow: true },
  read_epics: { role: role.guest, visible: 'public' },
  read_epic_activity: { role: role.guest, visible: 'signed-in' },
  comment_on_epics: { role: role.guest, visible: 'signed-in', writes: true },
  assign_epic_issues: { role: role.guest, writes: true },
  // Deleting also requires the role Planner or Owner.
  write_epics: { role: role.planner, writes: true },
  read_protected_branches: { role: role.owner },
  admin_protected_branches: { role: role.owner, writes: true },
  read_protected_environments: { role: role.maintainer },
  admin_protected_environments: { role: role.maintainer, writes: true },
  // Of callers who may not read all, those that they caused.
  read_own_audit_events: { role: role.developer },
  read_audit_events: { role: role.owner },
  read_member_roles: { role: role.owner },
  admin_member_roles: { role: role.owner, writes: true },
  archive_group: { role: role.owner },
  delete_group: { role: role.owner },
  own: { role: role.owner },
  administer: { role: role.administrator, administrators: true },
} as const satisfies Record<string, Rule>

export type ProjectAbility = keyof typeof projectPolicy
export type GroupAbility = keyof typeof groupPolicy
