import { flag, lines, prose, quantity } from '../setting.ts'
import { ids, listOrNone } from './kinds.ts'

/** 0 takes keys of any length, -1 none, any other number those with as many bits. */
const keyBits = { minimum: -1 }

/** Limits on requests that nothing here counts (contract 20, "Settings without effect"). */
export const keptLimits = {
  asset_proxy_allowlist: listOrNone(),
  ci_partitions_size_limit: quantity(107_374_182_400, { maximum: Number.MAX_SAFE_INTEGER }),
  concurrent_bitbucket_import_jobs_limit: quantity(100),
  concurrent_bitbucket_server_import_jobs_limit: quantity(100),
  concurrent_github_import_jobs_limit: quantity(1000),
  downstream_pipeline_trigger_limit_per_project_user_sha: quantity(0),
  elasticsearch_indexed_field_length_limit: quantity(0),
  enforce_namespace_storage_limit: flag(false),
  git_rate_limit_users_alertlist: ids(),
  git_rate_limit_users_allowlist: lines(),
  gitlab_shell_operation_limit: quantity(600),
  max_number_of_repository_downloads: quantity(0),
  max_number_of_repository_downloads_within_time_period: quantity(0),
  pipeline_limit_per_project_user_sha: quantity(0),
  project_jobs_api_rate_limit: quantity(600),
  repository_size_limit: quantity(0),
  security_approval_policies_limit: quantity(5),
  throttle_authenticated_deprecated_api_enabled: flag(false),
  throttle_authenticated_deprecated_api_period_in_seconds: quantity(3600),
  throttle_authenticated_deprecated_api_requests_per_period: quantity(3600),
  throttle_authenticated_files_api_enabled: flag(false),
  throttle_authenticated_files_api_period_in_seconds: quantity(15),
  throttle_authenticated_files_api_requests_per_period: quantity(500),
  throttle_authenticated_git_lfs_enabled: flag(false),
  throttle_authenticated_git_lfs_period_in_seconds: quantity(60),
  throttle_authenticated_git_lfs_requests_per_period: quantity(1000),
  throttle_authenticated_web_enabled: flag(false),
  throttle_authenticated_web_period_in_seconds: quantity(3600),
  throttle_authenticated_web_requests_per_period: quantity(7200),
  throttle_unauthenticated_deprecated_api_enabled: flag(false),
  throttle_unauthenticated_deprecated_api_period_in_seconds: quantity(3600),
  throttle_unauthenticated_deprecated_api_requests_per_period: quantity(1800),
  throttle_unauthenticated_files_api_enabled: flag(false),
  throttle_unauthenticated_files_api_period_in_seconds: quantity(15),
  throttle_unauthenticated_files_api_requests_per_period: quantity(125),
  throttle_unauthenticated_git_lfs_enabled: flag(false),
  throttle_unauthenticated_git_lfs_period_in_seconds: quantity(0),
  throttle_unauthenticated_git_lfs_requests_per_period: quantity(0),
  throttle_unauthenticated_web_enabled: flag(false),
  throttle_unauthenticated_web_period_in_seconds: quantity(0),
  throttle_unauthenticated_web_requests_per_period: quantity(0),
  unique_ips_limit_enabled: flag(false),
  unique_ips_limit_per_user: quantity(10),
  unique_ips_limit_time_window: quantity(3600),
  user_email_lookup_limit: quantity(60),
  users_get_by_id_limit_allowlist_raw: prose(''),
}

/** Which keys of users are taken. */
export const keptKeyLimits = {
  dsa_key_restriction: quantity(0, keyBits),
  ecdsa_key_restriction: quantity(0, keyBits),
  ecdsa_sk_key_restriction: quantity(0, keyBits),
  ed25519_key_restriction: quantity(0, keyBits),
  ed25519_sk_key_restriction: quantity(0, keyBits),
  rsa_key_restriction: quantity(0, keyBits),
}
