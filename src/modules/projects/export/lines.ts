import type { Reader } from '../../../infra/database/index.ts'
import type { ExportedLine, ExportedLines } from '../../../platform/index.ts'
import { levelOfVisibility } from '../../namespaces/index.ts'
import { projectById } from '../core/store.ts'
import { presentContainerPolicy } from '../settings/container-policy.ts'
import { type ProjectSettings, projectSettings, settingsOf } from '../settings/settings.ts'
import type { ProjectRow } from '../tables.ts'

/** The numbers of the access levels of features (contract 14, project_feature). */
const featureNumbers: Readonly<Record<string, number>> = { disabled: 0, private: 10, enabled: 20, public: 30 }

const featureNames = Object.keys(projectSettings).filter((name) => name.endsWith('_access_level'))

function featureLevels(settings: ProjectSettings): ExportedLine {
  const values = settings as unknown as Record<string, string>
  return Object.fromEntries(featureNames.map((name) => [name, featureNumbers[values[name] ?? ''] ?? null]))
}

const selfSettings = [
  'request_access_enabled',
  'approvals_before_merge',
  'only_allow_merge_if_pipeline_succeeds',
  'allow_merge_on_skipped_pipeline',
  'only_allow_merge_if_all_discussions_are_resolved',
  'only_allow_merge_if_all_status_checks_passed',
  'remove_source_branch_after_merge',
  'printing_merge_request_link_enabled',
  'resolve_outdated_diff_discussions',
  'merge_method',
  'merge_pipelines_enabled',
  'merge_trains_enabled',
  'reset_approvals_on_push',
  'merge_requests_author_approval',
  'merge_requests_template',
  'issues_template',
  'autoclose_referenced_issues',
  'auto_devops_enabled',
  'build_timeout',
  'suggestion_commit_message',
  'squash_option',
  'merge_commit_template',
  'squash_commit_template',
] as const satisfies readonly (keyof ProjectSettings)[]

/** A relation that is one row, of the project itself. */
function ofProject(lineOf: (row: ProjectRow, settings: ProjectSettings) => ExportedLine): ExportedLines {
  return async function* (_platform, db: Reader, { id }) {
    const row = await projectById(db, id)
    if (row) yield [lineOf(row, settingsOf(row))]
  }
}

/** The attributes of a project, without its name, path and ids (contract 14, `self`). */
export const exportedProject = ofProject(({ description, visibility, archived }, settings) => ({
  ...{ description, visibility_level: levelOfVisibility(visibility), archived },
  ...Object.fromEntries(selfSettings.map((name) => [name, settings[name]])),
  ...featureLevels(settings),
}))

/** The access levels of the features of a project (contract 14). */
export const exportedProjectFeature = ofProject(({ id, created_at, updated_at }, settings) => ({
  ...{ project_id: id, created_at, updated_at },
  ...featureLevels(settings),
}))

/** The settings of Auto DevOps (contract 14). */
export const exportedAutoDevops = ofProject(({ id, created_at, updated_at }, settings) => ({
  ...{ created_at, updated_at, deploy_strategy: settings.auto_devops_deploy_strategy },
  ...{ enabled: settings.auto_devops_enabled, project_id: id },
}))

/** How images are cleaned up (contract 14). */
export const exportedContainerPolicy = ofProject(({ id, created_at, updated_at }, settings) => ({
  ...presentContainerPolicy(settings.container_expiration_policy, created_at),
  ...{ created_at, updated_at, project_id: id },
}))

/** The settings of CI/CD (contract 14). */
export const exportedCiCdSettings = ofProject((_row, settings) => ({
  group_runners_enabled: settings.group_runners_enabled,
  runner_token_expiration_interval: settings.runner_token_expiration_interval,
  default_git_depth: settings.ci_default_git_depth,
}))

/** The settings of security scans (contract 14). */
export const exportedSecuritySetting = ofProject(({ id, created_at, updated_at }) => ({
  ...{ project_id: id, created_at, updated_at },
}))
