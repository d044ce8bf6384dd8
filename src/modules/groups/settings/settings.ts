import { t } from '../../../api/index.ts'
import {
  branchProtectionDefaults,
  changedValues,
  choice,
  defaultsOf,
  differing,
  flag,
  initialBranchName,
  limitOrNone,
  lineOrNone,
  lines,
  mergeDefinitions,
  quantity,
  type Setting,
  type SettingChanges,
  type SettingValues,
} from '../../../platform/settings/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { packageSettings } from './packages.ts'

/** Who may create projects in a group (contract 21, Group). */
export const projectCreationLevels = ['noone', 'owner', 'maintainer', 'developer', 'administrator'] as const
/** Who may create subgroups of a group. */
export const subgroupCreationLevels = ['owner', 'maintainer'] as const

/** On, off, or (null) inherited. */
const flagOrNone: Setting<boolean | null> = { default: null, param: t.nullable(t.boolean()) }
const idOrNone: Setting<number | null> = limitOrNone()
const ids: Setting<number[]> = { default: [], param: t.array(t.integer({ minimum: 1 }), { commaSeparated: true }) }

/** Settings of creation and update. */
export const commonSettings = {
  share_with_group_lock: flag(false),
  require_two_factor_authentication: flag(false),
  two_factor_grace_period: quantity(48, { description: 'Hours' }),
  project_creation_level: choice(projectCreationLevels, 'developer'),
  auto_devops_enabled: flagOrNone,
  subgroup_creation_level: choice(subgroupCreationLevels, 'maintainer'),
  emails_enabled: flag(true),
  mentions_disabled: flagOrNone,
  lfs_enabled: flag(true),
  default_branch: initialBranchName,
  default_branch_protection_defaults: branchProtectionDefaults,
  request_access_enabled: flag(true),
  shared_runners_setting: choice(['enabled', 'disabled_and_overridable', 'disabled_and_unoverridable'], 'enabled'),
  enabled_git_access_protocol: choice(['all', 'ssh', 'http'], 'all'),
  wiki_access_level: choice(['disabled', 'private', 'enabled'], 'enabled'),
  membership_lock: flag(false),
}

/** Settings of update only. */
export const laterSettings = {
  math_rendering_limits_enabled: flag(true),
  lock_math_rendering_limits_enabled: flag(false),
  prevent_sharing_groups_outside_hierarchy: flag(false),
  prevent_forking_outside_group: flagOrNone,
  service_access_tokens_expiration_enforced: flag(true),
  file_template_project_id: idOrNone,
  ip_restriction_ranges: lineOrNone({ description: 'Addresses and networks, comma separated' }),
  allowed_email_domains_list: lineOrNone({ description: 'Domains, comma separated' }),
  unique_project_download_limit: quantity(0, { maximum: 10_000 }),
  unique_project_download_limit_interval_in_seconds: quantity(0, { maximum: 864_000 }),
  unique_project_download_limit_allowlist: lines({ description: 'User names' }),
  unique_project_download_limit_alertlist: ids,
  auto_ban_user_on_excessive_projects_download: flag(false),
  duo_features_enabled: flag(false),
  lock_duo_features_enabled: flag(false),
  runners_token: lineOrNone({ description: 'Token with which runners of the group register' }),
}

/** Settings of creation and update that are ignored unless the caller is an administrator. */
export const administratorSettings = {
  shared_runners_minutes_limit: limitOrNone(),
  extra_shared_runners_minutes_limit: limitOrNone(),
}

/** Settings of update that are ignored unless the caller is an administrator. */
export const laterAdministratorSettings = {
  max_artifacts_size: limitOrNone({ description: 'Megabytes' }),
}

/** What a top-level group says about the approvals of all its projects; the defaults restrict nothing (contract 24, ApprovalSetting). */
export const approvalSettings = {
  allow_author_approval: flag(true),
  allow_committer_approval: flag(true),
  allow_overrides_to_approver_list_per_merge_request: flag(true),
  retain_approvals_on_push: flag(true),
  selective_code_owner_removals: flag(false),
  require_reauthentication_to_approve: flag(false),
}

/** Settings without a parameter. */
const innerSettings = {
  ldap_cn: lineOrNone(),
  ldap_access: idOrNone,
  repository_storage: lineOrNone(),
}

/** The settings whose problems are shown under their own names. */
export const withoutPackages = mergeDefinitions(
  commonSettings,
  laterSettings,
  administratorSettings,
  laterAdministratorSettings,
  innerSettings,
  approvalSettings,
)

/** All settings of a group with their defaults; a row stores only differing values (contract 21, Group). */
export const groupSettings = mergeDefinitions(withoutPackages, packageSettings)

type GroupDefinitions = typeof groupSettings
export type GroupSettings = SettingValues<GroupDefinitions>
/** Settings in a request. */
export type GroupSettingChanges = SettingChanges<GroupDefinitions>

const defaults = defaultsOf(groupSettings)

/** All settings of a group, defaults included. */
export function settingsOfGroup(row: Pick<NamespaceRow, 'settings'>): GroupSettings {
  return { ...defaults, ...row.settings }
}

/** The settings after a change, for storing: only values that differ from the defaults. */
export function changedSettings(current: GroupSettings, changes: GroupSettingChanges): Record<string, unknown> {
  return differing(changedValues(groupSettings, current, changes), defaults)
}
