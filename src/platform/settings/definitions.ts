import { t } from '../../api/index.ts'
import { ci } from './areas/ci.ts'
import { credentials } from './areas/credentials.ts'
import { rateLimits } from './areas/rate-limits.ts'
import { branchProtectionDefaults, initialBranchName } from './branch-defaults.ts'
import { keptSettings } from './kept/index.ts'
import {
  choice,
  choices,
  flag,
  limitOrNone,
  line,
  lineOrNone,
  lines,
  matching,
  mergeDefinitions,
  prose,
  proseOrNone,
  quantity,
  type Setting,
} from './setting.ts'
import { storageWeights } from './storage-weights.ts'

/** Levels of visibility by name. */
export const visibilityLevels = ['private', 'internal', 'public'] as const

/** Where a project may be imported from. */
const importSources = [
  'git',
  'gitlab_project',
  'github',
  'bitbucket',
  'bitbucket_server',
  'fogbugz',
  'gitea',
  'manifest',
] as const

const megabytes = (meaningOfNone: string) => ({ description: `Megabytes; ${meaningOfNone}` })
const orUnlimited = megabytes('0 means no limit')

/** A hundred years. */
const mostDays = 36_500

const signUpAndUsers = {
  signup_enabled: flag(true),
  require_admin_approval_after_user_signup: flag(true),
  email_confirmation_setting: choice(['off', 'soft', 'hard'], 'off'),
  delete_unconfirmed_users: flag(false, { description: 'Where addresses are confirmed' }),
  unconfirmed_users_delete_after_days: quantity(7, { minimum: 1, maximum: mostDays, description: 'Days' }),
  domain_allowlist: lines({ description: 'Domains of the e-mail addresses that may sign up; empty means all' }),
  domain_denylist_enabled: flag(false),
  domain_denylist: lines({ description: 'Domains of the e-mail addresses that may not sign up' }),
  can_create_group: flag(true),
  can_create_organization: flag(true),
  default_projects_limit: quantity(100_000),
  user_default_external: flag(false),
  user_defaults_to_private_profile: flag(false),
  deactivate_dormant_users: flag(false),
  deactivate_dormant_users_period: quantity(90, { minimum: 1, description: 'Days' }),
  minimum_password_length: quantity(8, { minimum: 8, maximum: 128 }),
  password_authentication_enabled_for_web: flag(true),
  password_authentication_enabled_for_git: flag(true),
  gravatar_enabled: flag(false),
  admin_mode: flag(false),
  session_expire_delay: quantity(10_080, { minimum: 1, description: 'Minutes' }),
  home_page_url: lineOrNone(),
  after_sign_up_text: prose(''),
  terms: proseOrNone(),
  enforce_terms: flag(false),
}

/** The longest lifetime that may be demanded of tokens and keys. */
const lifetimeDays = { maximum: 400, description: 'Days; null means no demand of the instance' }

const tokens = {
  personal_access_token_prefix: matching(
    line('glpat-', { maxLength: 20 }),
    /^[\w+=/@:.-]*$/,
    "can contain only letters of the Base64 alphabet (RFC4648) with the addition of '@', ':' and '.'",
  ),
  require_personal_access_token_expiry: flag(true),
  max_personal_access_token_lifetime: limitOrNone(lifetimeDays),
  service_access_tokens_expiration_enforced: flag(true),
  inactive_resource_access_tokens_delete_after_days: quantity(30, {
    maximum: mostDays,
    description:
      'Days after which project and group access tokens that are no longer active are deleted; 0 means never',
  }),
  allow_top_level_group_owners_to_create_service_accounts: flag(true),
  disable_personal_access_tokens: flag(false),
  max_ssh_key_lifetime: limitOrNone(lifetimeDays),
  container_registry_token_expire_delay: quantity(5, { minimum: 1, maximum: 1440, description: 'Minutes' }),
  enforce_ci_inbound_job_token_scope_enabled: flag(true),
}

const visibility = {
  default_project_visibility: choice(visibilityLevels, 'private'),
  default_snippet_visibility: choice(visibilityLevels, 'internal'),
  default_group_visibility: choice(visibilityLevels, 'private'),
  restricted_visibility_levels: choices(visibilityLevels, []),
}

/** `all` is how clients say that they lift the restriction. */
const gitAccessProtocol: Setting<'ssh' | 'http' | null, 'ssh' | 'http' | 'all' | null> = {
  default: null,
  param: t.nullable(
    t.oneOf(['ssh', 'http', 'all'], { description: 'The only way to reach git; null or all: every way' }),
  ),
  schema: { type: 'string', enum: ['ssh', 'http'], description: 'The only way to reach git; null means every way' },
  combine: (given) => (given === 'all' ? null : given),
}

const branchesProjectsAndGroups = (storages: readonly string[]) => ({
  default_branch_name: initialBranchName,
  default_branch_protection: {
    default: 2,
    param: t.integerOf([0, 1, 2, 3, 4], {
      description:
        '0 none; 1 developers push; 2 maintainers push and merge; 3 developers merge; 4 as 2, developers push first',
    }),
  } satisfies Setting<number>,
  default_branch_protection_defaults: branchProtectionDefaults,
  default_project_creation: {
    default: 2,
    param: t.integerOf([0, 1, 2, 3, 4], {
      description: '0 no one; 1 maintainers; 2 developers and maintainers; 3 administrators; 4 owners',
    }),
  } satisfies Setting<number>,
  project_export_enabled: flag(true),
  default_project_deletion_protection: flag(false),
  deletion_adjourned_period: quantity(7, { minimum: 0, maximum: 90, description: 'Days' }),
  default_ci_config_path: matching(
    lineOrNone(),
    /^(?!\/)(?!.*\.\.)/s,
    'cannot include leading slash or directory traversal.',
  ),
  default_artifacts_expire_in: line('30 days', { description: 'A duration in words; 0 means never' }),
  keep_latest_artifact: flag(true),
  shared_runners_enabled: flag(true),
  allow_runner_registration_token: flag(false),
  runners_registration_token: lineOrNone({ description: 'Token with which runners of the instance register' }),
  auto_devops_enabled: flag(false),
  user_show_add_ssh_key_message: flag(true),
  repository_storages_weighted: storageWeights(storages),
  repository_checks_enabled: flag(true),
  import_sources: choices(importSources, importSources),
  bulk_import_enabled: flag(true),
  bulk_import_concurrent_pipeline_batch_limit: quantity(25, { minimum: 1 }),
  silent_mode_enabled: flag(false),
  enabled_git_access_protocol: gitAccessProtocol,
  receive_max_input_size: limitOrNone(megabytes('null means no limit')),
  repository_size_limit: quantity(0, orUnlimited),
  max_attachment_size: quantity(100, { minimum: 1, description: 'Megabytes' }),
  max_import_size: quantity(0, orUnlimited),
  max_export_size: quantity(0, orUnlimited),
  max_artifacts_size: quantity(100, { minimum: 1, description: 'Megabytes' }),
  snippet_size_limit: quantity(52_428_800, { minimum: 1, description: 'Bytes' }),
  wiki_page_max_content_bytes: quantity(5_242_880, { minimum: 1024 }),
  push_event_hooks_limit: quantity(3, { description: 'Refs of one push beyond which no webhooks are called' }),
  push_event_activities_limit: quantity(3, { description: 'Refs of one push beyond which one event stands for all' }),
  allow_local_requests_from_web_hooks_and_services: flag(false),
  allow_local_requests_from_system_hooks: flag(true),
  outbound_local_requests_whitelist: lines({ description: 'Addresses and domains that hooks may reach nevertheless' }),
  dns_rebinding_protection_enabled: flag(true),
})

const approvals = {
  prevent_merge_requests_author_approval: flag(false),
  prevent_merge_requests_committers_approval: flag(false),
  disable_overriding_approvers_per_merge_request: flag(false),
}

const registry = {
  container_registry_delete_tags_service_timeout: quantity(250, { description: 'Seconds' }),
  container_registry_expiration_policies_worker_capacity: quantity(4),
  container_registry_cleanup_tags_service_max_list_size: quantity(200),
  container_registry_expiration_policies_caching: flag(true),
  container_expiration_policies_enable_historic_entries: flag(false),
}

/** How much of a diff is shown at once (contract 22, "Diff"). */
const diffs = {
  diff_max_files: quantity(1000, {
    minimum: 1,
    description: 'Files of a diff that is shown whole; no more than 2,000',
  }),
  diff_max_lines: quantity(50_000, {
    minimum: 1,
    description: 'Lines of the patches that are shown at once; no more than 100,000',
  }),
  diff_max_patch_bytes: quantity(204_800, {
    minimum: 1,
    description: 'Bytes of the patch of a file; no more than 512,000',
  }),
}

/** Where clients are sent for packages that a project, group or server does not have. */
const forwardAddress = (initial: string) =>
  matching(line(initial, { description: 'An address with http or https' }), /^https?:\/\/[^\s"<>]+$/, 'is invalid')

const packages = {
  package_registry_allow_anyone_to_pull_option: flag(true),
  package_registry_cleanup_policies_worker_capacity: quantity(2),
  packages_cleanup_package_file_worker_capacity: quantity(2),
  npm_package_requests_forwarding: flag(false),
  pypi_package_requests_forwarding: flag(false),
  maven_package_requests_forwarding: flag(false),
  npm_package_requests_forwarding_url: forwardAddress('https://registry.npmjs.org'),
  pypi_package_requests_forwarding_url: forwardAddress('https://pypi.org'),
  maven_package_requests_forwarding_url: forwardAddress('https://repo.maven.apache.org/maven2'),
}

const httpPattern = /^https?:\/\/[^\s/]+(?:\/\S*)?$/
/** The address of a service outside. */
const httpAddress = (initial: string) => matching(line(initial), httpPattern, 'must be a valid URL')

const spam = {
  akismet_enabled: flag(false),
  akismet_api_key: lineOrNone(),
  akismet_url: httpAddress('https://rest.akismet.com/1.1/comment-check'),
  recaptcha_enabled: flag(false),
  recaptcha_site_key: lineOrNone(),
  recaptcha_private_key: lineOrNone(),
  recaptcha_verification_url: httpAddress('https://www.google.com/recaptcha/api/siteverify'),
  spam_check_endpoint_enabled: flag(false),
  spam_check_endpoint_url: matching(lineOrNone(), httpPattern, 'must be a valid URL'),
}

const maintenance = {
  maintenance_mode: flag(false, {
    description: 'Nothing is changed but the settings of the instance; reading goes on',
  }),
  maintenance_mode_message: proseOrNone({
    description: 'What callers are answered meanwhile; null: a sentence of the server',
  }),
}

const other = (host: string) => ({
  geo_status_timeout: quantity(10, { minimum: 1, description: 'Seconds' }),
  geo_node_allowed_ips: line('0.0.0.0/0, ::/0', { description: 'Addresses and networks, comma separated' }),
  mirror_max_capacity: quantity(100),
  mirror_available: flag(true),
  check_namespace_plan: flag(false),
  commit_email_hostname: matching(line(`users.noreply.${host}`), /^[^@\s]+$/, 'is invalid'),
  custom_http_clone_url_root: lineOrNone(),
  version_check_enabled: flag(false),
  usage_ping_enabled: flag(false),
  plantuml_enabled: flag(false),
  sourcegraph_enabled: flag(false),
  max_pages_size: quantity(100, orUnlimited),
  max_terraform_state_size_bytes: quantity(0, { description: 'Bytes of a document; 0 means 100 MiB' }),
  pages_domain_verification_enabled: flag(true),
  pages_unique_domain_default_enabled: flag(true),
  duo_features_enabled: flag(false),
  local_markdown_version: quantity(0, { maximum: 65_535 }),
  allow_project_creation_for_guest_and_below: flag(true),
})

/** What the defaults of some settings depend on. */
type InstanceFacts = {
  /** Host name of the external URL. */
  host?: string
  /** Names of the configured storages. */
  storages?: readonly string[]
}

/** All settings of the instance by area, in the order in which the API shows them (contract 20, "Application settings"). */
export function instanceDefinitions({ host = 'localhost', storages = ['default'] }: InstanceFacts = {}) {
  return mergeDefinitions(
    signUpAndUsers,
    tokens,
    credentials,
    visibility,
    branchesProjectsAndGroups(storages),
    approvals,
    diffs,
    ci,
    registry,
    packages,
    rateLimits,
    spam,
    maintenance,
    other(host),
    keptSettings,
  )
}

export type InstanceDefinitions = ReturnType<typeof instanceDefinitions>
