import { forms, nullable, type Static, Type } from '../../../api/index.ts'
import { role } from '../../access/index.ts'
import { presentUserBasic, UserBasic } from '../../users/index.ts'
import { containerPolicySchema, presentPolicyOfProject } from '../settings/container-policy.ts'
import { BasicProject, basicFields, isAlwaysThere, presentBasic, schemaOfFields } from './basic.ts'
import type { ProjectFacts } from './facts.ts'
import {
  administers,
  allOnlyIf,
  type Field,
  field,
  fieldsOnlyIn,
  flag,
  hasFeature,
  isOn,
  onlyIf,
  optionalText,
  type Presented,
  plain,
  presenterOf,
  text,
  type View,
} from './field.ts'
import {
  Links,
  linksOf,
  Permissions,
  permissionsOf,
  SharedWithGroups,
  Statistics,
  sharedWithGroups,
  statisticsOf,
} from './parts.ts'

const isFork = ({ project }: ProjectFacts) => project.forked_from_id !== null
const isMirror = ({ settings }: ProjectFacts) => settings.mirror
const isReporter = (facts: ProjectFacts) => facts.isAdministrator || facts.project.role.level >= role.reporter

const markedOn: Field<Static<typeof forms.nullableDay>> = field(
  forms.nullableDay,
  ({ project }) => project.marked_for_deletion_on,
)

/** A repository that has never had a branch: the first one is always made the default. */
function isEmpty({ project, context }: ProjectFacts): boolean {
  return (context.generation ?? 0) <= 1 || project.default_branch === null
}

function mayMergeInto(facts: ProjectFacts, view: View): boolean {
  return view.actor.kind === 'user' && facts.readsCode && hasFeature(facts, facts.settings.merge_requests_access_level)
}

const overview = {
  container_registry_image_prefix: field(text, ({ project }, { registryHost }) =>
    registryHost === undefined ? undefined : `${registryHost}/${project.full_path.toLowerCase()}`,
  ),
  _links: field(Links, linksOf),
  ...fieldsOnlyIn({ tier: 'premium' }, { marked_for_deletion_at: markedOn, marked_for_deletion_on: markedOn }),
  packages_enabled: isOn('packages_enabled'),
  empty_repo: field(flag, isEmpty),
  archived: field(flag, ({ project }) => project.archived),
  owner: field(UserBasic, ({ owner }, view) => owner && presentUserBasic(owner, view.users)),
  ...plain('resolve_outdated_diff_discussions'),
  container_expiration_policy: field(containerPolicySchema, ({ settings, project }) =>
    presentPolicyOfProject(settings.container_expiration_policy, project.created_at),
  ),
  repository_object_format: field(text, ({ context }) => context.object_format ?? undefined),
  issues_enabled: isOn('issues_enabled'),
  merge_requests_enabled: isOn('merge_requests_enabled'),
  wiki_enabled: isOn('wiki_enabled'),
  jobs_enabled: isOn('jobs_enabled'),
  snippets_enabled: isOn('snippets_enabled'),
  // Contract 02: whether the caller can see the registry, which is more than having the feature.
  container_registry_enabled: field(flag, ({ readsImages }, view) => readsImages && view.registryHost !== undefined),
  ...plain('service_desk_enabled'),
  service_desk_address: onlyIf(
    isReporter,
    field(optionalText, () => null),
  ),
  can_create_merge_request_in: field(flag, mayMergeInto),
  ...plain(
    'issues_access_level',
    'repository_access_level',
    'merge_requests_access_level',
    'forking_access_level',
    'wiki_access_level',
    'builds_access_level',
    'snippets_access_level',
    'pages_access_level',
    'analytics_access_level',
    'container_registry_access_level',
    'security_and_compliance_access_level',
    'releases_access_level',
    'environments_access_level',
    'feature_flags_access_level',
    'infrastructure_access_level',
    'monitor_access_level',
    'model_experiments_access_level',
    'model_registry_access_level',
  ),
  emails_disabled: field(flag, ({ settings }) => !settings.emails_enabled),
  ...plain('emails_enabled', 'shared_runners_enabled', 'lfs_enabled'),
  creator_id: field(forms.nullableInteger, ({ project }) => project.creator_id),
  forked_from_project: field(BasicProject, ({ source }, view) => source && presentBasic(source, view)),
  ...allOnlyIf(isFork, plain('mr_default_target_self')),
  import_url: onlyIf(
    administers,
    field(optionalText, ({ project }) => project.import_url),
  ),
  import_type: onlyIf(
    administers,
    field(optionalText, ({ project }) => (project.import_url === null ? null : 'git')),
  ),
  import_status: field(text, ({ project }) => project.import_status),
  import_error: onlyIf(
    administers,
    field(optionalText, ({ project }) => project.import_error),
  ),
  open_issues_count: field(Type.Integer(), (facts) =>
    hasFeature(facts, facts.settings.issues_access_level) ? facts.openIssues : undefined,
  ),
  description_html: field(text, ({ project: { id, description } }, view) =>
    description ? view.renderDescription(id, description) : '',
  ),
  updated_at: field(forms.timestamp, ({ project }) => project.updated_at),
}

const pipelines = {
  ...allOnlyIf(administers, {
    ...plain(
      'ci_default_git_depth',
      'ci_delete_pipelines_in_seconds',
      'ci_forward_deployment_enabled',
      'ci_forward_deployment_rollback_allowed',
      'ci_separated_caches',
      'ci_allow_fork_pipelines_to_run_in_parent_project',
    ),
    ci_job_token_scope_enabled: field(flag, () => false),
    ...plain(
      'ci_id_token_sub_claim_components',
      'build_git_strategy',
      'keep_latest_artifact',
      'restrict_user_defined_variables',
      'ci_pipeline_variables_minimum_override_role',
    ),
    ...plain(
      'runners_token',
      'runner_token_expiration_interval',
      'group_runners_enabled',
      'auto_cancel_pending_pipelines',
      'build_timeout',
      'auto_devops_enabled',
      'auto_devops_deploy_strategy',
      'ci_push_repository_for_job_token_allowed',
    ),
  }),
  ...allOnlyIf((facts) => facts.readsCode, plain('ci_config_path')),
  ...plain('public_jobs'),
}

const merging = {
  shared_with_groups: field(SharedWithGroups, sharedWithGroups),
  ...plain(
    'only_allow_merge_if_pipeline_succeeds',
    'request_access_enabled',
    'only_allow_merge_if_all_discussions_are_resolved',
    'remove_source_branch_after_merge',
    'printing_merge_request_link_enabled',
    'allow_merge_on_skipped_pipeline',
    'merge_method',
    'squash_option',
    'enforce_auth_checks_on_uploads',
    'suggestion_commit_message',
    'merge_commit_template',
    'squash_commit_template',
    'issue_branch_template',
  ),
  statistics: field(Statistics, statisticsOf),
  ...plain('warn_about_potentially_unwanted_characters', 'autoclose_referenced_issues', 'max_artifacts_size'),
}

const larger = fieldsOnlyIn(
  { tier: 'premium' },
  {
    ...plain('approvals_before_merge', 'mirror'),
    ...allOnlyIf(
      isMirror,
      plain(
        'mirror_user_id',
        'mirror_trigger_builds',
        'only_mirror_protected_branches',
        'mirror_overwrites_diverged_branches',
      ),
    ),
    ...plain('external_authorization_classification_label'),
    requirements_enabled: isOn('requirements_enabled'),
    ...plain('requirements_access_level'),
    security_and_compliance_enabled: isOn('security_and_compliance_enabled'),
    ...plain('secret_push_protection_enabled'),
    // The former name of the same setting.
    pre_receive_secret_detection_enabled: field(flag, ({ settings }) => settings.secret_push_protection_enabled),
    compliance_frameworks: field(forms.strings, () => []),
    ...plain(
      'issues_template',
      'merge_requests_template',
      'ci_restrict_pipeline_cancellation_role',
      'merge_pipelines_enabled',
      'merge_trains_enabled',
      'merge_trains_skip_train_allowed',
      'only_allow_merge_if_all_status_checks_passed',
      'allow_pipeline_trigger_approve_deployment',
      'prevent_merge_without_jira_issue',
    ),
  },
)

const fullFields = {
  ...basicFields,
  ...overview,
  ...pipelines,
  ...merging,
  ...larger,
  permissions: field(nullable(Permissions), permissionsOf),
}

export type PresentedProject = Presented<typeof fullFields> & { id: number }

/** A project (contract 21, Project); at the basic level only the members of that are there. */
export const ProjectObject = Type.Unsafe<PresentedProject>(
  Type.Object(schemaOfFields(fullFields, isAlwaysThere), { title: 'Project' }),
)

const present = presenterOf(fullFields)

/** A project at the full level. */
export function presentFull(facts: ProjectFacts, view: View): PresentedProject {
  return present(facts, view) as PresentedProject
}
