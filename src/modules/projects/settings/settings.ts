import { lengthProblems, t } from '../../../api/index.ts'
import {
  choice,
  defaultsOf,
  flag,
  limitOrNone,
  line,
  lineOrNone,
  matching,
  mergeDefinitions,
  proseOrNone,
  quantity,
  type Setting,
  type SettingValues,
} from '../../../platform/settings/index.ts'
import { type ContainerPolicy, defaultContainerPolicy } from './container-policy.ts'
import { defaultPackagesPolicy, type PackagesPolicy } from './packages-policy.ts'

/** Who may use a feature of a project: no one, its members, or everyone who can see the project. */
const featureLevels = ['disabled', 'private', 'enabled'] as const

/** A few features may be open to everyone, even those who cannot see the project. */
const openFeatureLevels = ['disabled', 'private', 'enabled', 'public'] as const

const feature = choice(featureLevels, 'enabled')

const features = {
  issues_access_level: feature,
  repository_access_level: feature,
  merge_requests_access_level: feature,
  forking_access_level: feature,
  wiki_access_level: feature,
  builds_access_level: feature,
  snippets_access_level: feature,
  pages_access_level: choice(openFeatureLevels, 'private'),
  analytics_access_level: feature,
  container_registry_access_level: feature,
  security_and_compliance_access_level: choice(featureLevels, 'private'),
  releases_access_level: feature,
  environments_access_level: feature,
  feature_flags_access_level: feature,
  infrastructure_access_level: feature,
  monitor_access_level: feature,
  model_experiments_access_level: feature,
  model_registry_access_level: feature,
  package_registry_access_level: choice(openFeatureLevels, 'enabled'),
  requirements_access_level: feature,
}

const between = (minimum: number, maximum: number) => ({
  param: t.integer({ description: `${minimum} to ${maximum}` }),
  check: (given: number | null) => {
    if (given !== null && given < minimum) return [`must be greater than or equal to ${minimum}`]
    return given !== null && given > maximum ? [`must be less than or equal to ${maximum}`] : []
  },
})

const gitDepth: Setting<number | null> = { ...between(0, 1000), default: 20, param: t.nullable(between(0, 1000).param) }

const buildTimeout: Setting<number> = {
  default: 3600,
  param: t.integer({ description: 'Seconds, from ten minutes to a month' }),
  check: (given) => (given >= 600 && given <= 2_592_000 ? [] : ['needs to be between 10 minutes and 1 month']),
}

/** Path of the pipeline configuration; empty for the usual file. */
const ciConfigPath: Setting<string | null> = {
  ...matching(
    line('', { description: 'Empty for the usual file' }) as Setting<string | null>,
    /^(?!\/)(?!.*\.\.)/s,
    'cannot include leading slash or directory traversal.',
  ),
  param: t.nullable(t.string({ maxLength: 255 })),
}

const subjectClaims = ['project_path', 'ref_type', 'ref']

const pipelines = {
  ci_config_path: ciConfigPath,
  ci_default_git_depth: gitDepth,
  ci_delete_pipelines_in_seconds: limitOrNone({ description: 'Age at which pipelines are deleted; null means never' }),
  ci_forward_deployment_enabled: flag(true),
  ci_forward_deployment_rollback_allowed: flag(true),
  ci_separated_caches: flag(true),
  ci_allow_fork_pipelines_to_run_in_parent_project: flag(true),
  ci_id_token_sub_claim_components: { default: subjectClaims, param: t.array(t.string({ blank: false })) },
  build_git_strategy: choice(['fetch', 'clone'], 'fetch'),
  keep_latest_artifact: flag(true),
  restrict_user_defined_variables: flag(false),
  ci_pipeline_variables_minimum_override_role: choice(
    ['no_one_allowed', 'developer', 'maintainer', 'owner'],
    'developer',
  ),
  runners_token: lineOrNone({ description: 'Token with which runners of the project register' }),
  runner_token_expiration_interval: limitOrNone({ description: 'Seconds' }),
  group_runners_enabled: flag(true),
  shared_runners_enabled: flag(true),
  auto_cancel_pending_pipelines: choice(['disabled', 'enabled'], 'enabled'),
  build_timeout: buildTimeout,
  auto_devops_enabled: flag(false),
  auto_devops_deploy_strategy: choice(['continuous', 'manual', 'timed_incremental'], 'continuous'),
  ci_push_repository_for_job_token_allowed: flag(false),
  public_jobs: flag(true),
  max_artifacts_size: limitOrNone({ description: 'Megabytes; null means what the instance allows' }),
  ci_restrict_pipeline_cancellation_role: choice(['no_one', 'developer', 'maintainer'], 'developer'),
  allow_pipeline_trigger_approve_deployment: flag(false),
}

const messageTemplate: Setting<string | null> = {
  ...proseOrNone(),
  check: (given) => lengthProblems(given ?? '', 500),
}

const merging = {
  only_allow_merge_if_pipeline_succeeds: flag(false),
  allow_merge_on_skipped_pipeline: { default: null, param: t.nullable(t.boolean()) } as Setting<boolean | null>,
  only_allow_merge_if_all_discussions_are_resolved: flag(false),
  only_allow_merge_if_all_status_checks_passed: flag(false),
  remove_source_branch_after_merge: flag(true),
  printing_merge_request_link_enabled: flag(true),
  resolve_outdated_diff_discussions: flag(false),
  merge_method: choice(['merge', 'rebase_merge', 'ff'], 'merge'),
  squash_option: choice(['never', 'always', 'default_on', 'default_off'], 'default_off'),
  suggestion_commit_message: messageTemplate,
  merge_commit_template: messageTemplate,
  squash_commit_template: messageTemplate,
  mr_default_target_self: flag(false),
  approvals_before_merge: quantity(0),
  merge_pipelines_enabled: flag(false),
  merge_trains_enabled: flag(false),
  merge_trains_skip_train_allowed: flag(false),
  reset_approvals_on_push: flag(true),
  merge_requests_author_approval: flag(false),
  prevent_merge_without_jira_issue: flag(false),
  merge_requests_template: proseOrNone(),
}

/** Whether all of these attributes are settings about merging, which `edit_merge_settings` is enough for. */
export const areMergeSettings = (names: readonly string[]): boolean =>
  names.every((name) => Object.hasOwn(merging, name))

const mirroring = {
  mirror: flag(false),
  mirror_user_id: limitOrNone(),
  mirror_trigger_builds: flag(false),
  only_mirror_protected_branches: flag(false),
  mirror_overwrites_diverged_branches: flag(false),
}

const others = {
  service_desk_enabled: flag(false),
  emails_enabled: flag(true),
  lfs_enabled: flag(true),
  request_access_enabled: flag(true),
  enforce_auth_checks_on_uploads: flag(true),
  issue_branch_template: lineOrNone(),
  issues_template: proseOrNone(),
  warn_about_potentially_unwanted_characters: flag(true),
  autoclose_referenced_issues: flag(true),
  external_authorization_classification_label: line(''),
  secret_push_protection_enabled: flag(false),
}

/**
 * The attributes of a project that are plain settings, each with its default and its request parameter (contract 21,
 * Project — full level). All of them can be set on creation and later.
 */
export const projectSettings = mergeDefinitions(features, pipelines, merging, mirroring, others)

/** Settings about approvals, which only their own operations change and show (contract 24, ApprovalConfig). */
export const approvalSettings = {
  merge_requests_disable_committers_approval: flag(false),
  disable_overriding_approvers_per_merge_request: { default: null, param: t.nullable(t.boolean()) } as Setting<
    boolean | null
  >,
  selective_code_owner_removals: flag(false),
  require_reauthentication_to_approve: flag(false),
}

/** The settings that are stored as they are given. */
export const storedSettings = mergeDefinitions(projectSettings, approvalSettings)

/** Settings by name: the plain ones, and those with a request format of their own. */
export type ProjectSettings = SettingValues<typeof storedSettings> & {
  readonly container_expiration_policy: Readonly<ContainerPolicy>
  readonly packages_cleanup_policy: Readonly<PackagesPolicy>
}

type ProjectSettingName = keyof ProjectSettings

/** Values of the settings that a row does not store. */
export const projectSettingDefaults: ProjectSettings = Object.freeze({
  ...defaultsOf(storedSettings),
  container_expiration_policy: Object.freeze(defaultContainerPolicy),
  packages_cleanup_policy: Object.freeze(defaultPackagesPolicy),
})

/** All settings of a project with their defaults. The object may be shared and must not be changed. */
export function settingsOf(row: { settings: Partial<ProjectSettings> }): ProjectSettings {
  return Object.keys(row.settings).length === 0
    ? projectSettingDefaults
    : { ...projectSettingDefaults, ...row.settings }
}

/** One setting of a project. Not for settings whose value may be null. */
export function settingOf<N extends keyof ProjectSettings>(
  { settings }: { settings: Partial<ProjectSettings> },
  name: N,
): ProjectSettings[N] {
  return (settings[name] as ProjectSettings[N] | undefined) ?? projectSettingDefaults[name]
}

/** The features that an older boolean switches (contract 21: they map to `enabled` and `disabled`). */
export const featureSwitches = {
  issues_enabled: 'issues_access_level',
  merge_requests_enabled: 'merge_requests_access_level',
  wiki_enabled: 'wiki_access_level',
  jobs_enabled: 'builds_access_level',
  snippets_enabled: 'snippets_access_level',
  container_registry_enabled: 'container_registry_access_level',
  packages_enabled: 'package_registry_access_level',
  requirements_enabled: 'requirements_access_level',
  security_and_compliance_enabled: 'security_and_compliance_access_level',
} as const satisfies Record<string, ProjectSettingName>
