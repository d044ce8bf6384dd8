import { computed, fact, forms, from, nested, nullable, object, of, type Static, Type } from '../../../api/index.ts'
import { role } from '../../access/index.ts'
import { SharedWithGroup, sizes } from '../../groups/index.ts'
import { presentUserBasic, UserBasic } from '../../users/index.ts'
import { containerPolicySchema, presentPolicyOfProject } from '../settings/container-policy.ts'
import { packagesPolicySchema } from '../settings/packages-policy.ts'
import type { ProjectSizes } from '../tables.ts'
import { BasicProject } from './basic.ts'
import type { ProjectFacts } from './facts.ts'
import { hasFeature, isOn, plain, projects, type View } from './view.ts'

const text = Type.String()
const flag = Type.Boolean()
const integer = Type.Integer()

const ifAdministers = ({ administers }: ProjectFacts) => administers
const ifReporter = ({ isAdministrator, project }: ProjectFacts) =>
  isAdministrator || project.role.level >= role.reporter

/** A repository that has never had a branch: the first one is always made the default. */
function isEmpty({ project, context }: ProjectFacts): boolean {
  return (context.generation ?? 0) <= 1 || project.default_branch === null
}

function mayMergeInto(facts: ProjectFacts, view: View): boolean {
  return view.actor.kind === 'user' && facts.readsCode && hasFeature(facts, facts.settings.merge_requests_access_level)
}

const resource = (path: string) =>
  computed(text, ({ project }: ProjectFacts, view: View) => `${view.externalUrl}/api/v4/projects/${project.id}${path}`)

const overview = projects.fields({
  ...projects.ifView(({ registryHost }) => registryHost !== undefined, {
    container_registry_image_prefix: computed(
      text,
      ({ project }, { registryHost }) => `${registryHost}/${project.full_path.toLowerCase()}`,
    ),
  }),
  _links: nested({
    self: resource(''),
    ...projects.ifRow((facts) => hasFeature(facts, facts.settings.issues_access_level), {
      issues: resource('/issues'),
    }),
    ...projects.ifRow((facts) => hasFeature(facts, facts.settings.merge_requests_access_level), {
      merge_requests: resource('/merge_requests'),
    }),
    repo_branches: resource('/repository/branches'),
    labels: resource('/labels'),
    events: resource('/events'),
    members: resource('/members'),
    cluster_agents: resource('/cluster_agents'),
  }),
  ...projects.ifEdition(
    { tier: 'premium' },
    {
      marked_for_deletion_at: from(forms.nullableDay, 'project', 'marked_for_deletion_on'),
      marked_for_deletion_on: from(forms.nullableDay, 'project', 'marked_for_deletion_on'),
    },
  ),
  packages_enabled: isOn('packages_enabled'),
  empty_repo: computed(flag, isEmpty),
  archived: from(flag, 'project', 'archived'),
  owner: computed(Type.Optional(UserBasic), ({ owner }, view) => owner && presentUserBasic(owner, view.users)),
  ...plain('resolve_outdated_diff_discussions'),
  container_expiration_policy: computed(containerPolicySchema, ({ settings, project }) =>
    presentPolicyOfProject(settings.container_expiration_policy, project.created_at),
  ),
  ...projects.ifRow(ifAdministers, {
    packages_cleanup_policy: computed(packagesPolicySchema, ({ settings }) => settings.packages_cleanup_policy),
  }),
  repository_object_format: computed(Type.Optional(text), ({ context }) => context.object_format ?? undefined),
  issues_enabled: isOn('issues_enabled'),
  merge_requests_enabled: isOn('merge_requests_enabled'),
  wiki_enabled: isOn('wiki_enabled'),
  jobs_enabled: isOn('jobs_enabled'),
  snippets_enabled: isOn('snippets_enabled'),
  // Contract 02: whether the caller can see the registry, which is more than having the feature.
  container_registry_enabled: computed(flag, ({ readsImages }, view) => readsImages && view.registryHost !== undefined),
  ...plain('service_desk_enabled'),
  ...projects.ifRow(ifReporter, { service_desk_address: computed(forms.nullableString, () => null) }),
  can_create_merge_request_in: computed(flag, mayMergeInto),
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
    'package_registry_access_level',
  ),
  emails_disabled: computed(flag, ({ settings }) => !settings.emails_enabled),
  ...plain('emails_enabled', 'shared_runners_enabled', 'lfs_enabled'),
  creator_id: from(forms.nullableInteger, 'project', 'creator_id'),
  forked_from_project: computed(
    Type.Optional(BasicProject),
    ({ source }, view) => source && BasicProject.present(source, view),
  ),
  ...projects.ifRow(({ project }) => project.forked_from_id !== null, plain('mr_default_target_self')),
  ...projects.ifRow(ifAdministers, {
    import_url: from(forms.nullableString, 'project', 'import_url'),
    import_type: computed(forms.nullableString, ({ project }) => (project.import_url === null ? null : 'git')),
  }),
  import_status: from(text, 'project', 'import_status'),
  ...projects.ifRow(ifAdministers, { import_error: from(forms.nullableString, 'project', 'import_error') }),
  ...projects.ifRow((facts) => hasFeature(facts, facts.settings.issues_access_level), {
    open_issues_count: from(integer, 'openIssues'),
  }),
  description_html: computed(text, ({ project: { id, description } }, { platform }) =>
    description ? platform.ports['projects.render_description'](platform, id, description) : '',
  ),
  updated_at: from(forms.timestamp, 'project', 'updated_at'),
})

const pipelines = {
  ...projects.ifRow(ifAdministers, {
    ...plain(
      'ci_default_git_depth',
      'ci_delete_pipelines_in_seconds',
      'ci_forward_deployment_enabled',
      'ci_forward_deployment_rollback_allowed',
      'ci_separated_caches',
      'ci_allow_fork_pipelines_to_run_in_parent_project',
    ),
    ci_job_token_scope_enabled: computed(flag, () => false),
    ...plain(
      'ci_id_token_sub_claim_components',
      'build_git_strategy',
      'keep_latest_artifact',
      'restrict_user_defined_variables',
      'ci_pipeline_variables_minimum_override_role',
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
  ...projects.ifRow(({ readsCode }) => readsCode, plain('ci_config_path')),
  ...plain('public_jobs'),
}

/** The number of commits, and sizes in bytes. What projects share in the registry is stored once, so it is no part of the sum. */
type StatisticsRow = ProjectSizes & { commit_count: number; container_registry_size: number }
const Statistics = object(null, of<StatisticsRow>(), {
  commit_count: integer,
  ...sizes,
  container_registry_size: integer,
})
const noSizes: ProjectSizes = {
  ...{ repository_bytes: 0, wiki_bytes: 0, lfs_bytes: 0, snippet_bytes: 0, upload_bytes: 0 },
  package_bytes: 0,
}

const merging = projects.fields({
  shared_with_groups: computed(Type.Array(SharedWithGroup), ({ relations }) =>
    relations.links.map(({ group_visibility: _, ...link }) => link),
  ),
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
  ...projects.ifView(({ statistics }) => statistics, {
    ...projects.ifRow(ifReporter, {
      statistics: fact(Statistics, ['sizes', 'registrySizes'], ({ project, context }, view) =>
        Statistics.present({
          ...(view.sizes.get(project.id) ?? noSizes),
          commit_count: context.commit_count ?? 0,
          container_registry_size: view.registrySizes.get(project.id) ?? 0,
        }),
      ),
    }),
  }),
  ...plain('warn_about_potentially_unwanted_characters', 'autoclose_referenced_issues', 'max_artifacts_size'),
})

const larger = projects.ifEdition(
  { tier: 'premium' },
  {
    ...plain('approvals_before_merge', 'mirror'),
    ...projects.ifRow(({ settings }) => settings.mirror, {
      ...plain(
        'mirror_user_id',
        'mirror_trigger_builds',
        'only_mirror_protected_branches',
        'mirror_overwrites_diverged_branches',
      ),
    }),
    ...plain('external_authorization_classification_label'),
    requirements_enabled: isOn('requirements_enabled'),
    ...plain('requirements_access_level'),
    security_and_compliance_enabled: isOn('security_and_compliance_enabled'),
    ...plain('secret_push_protection_enabled'),
    // The former name of the same setting.
    pre_receive_secret_detection_enabled: computed(flag, ({ settings }) => settings.secret_push_protection_enabled),
    compliance_frameworks: computed(forms.strings, () => []),
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

/** The level of a place for which the caller has set none: that of the nearest place above it. */
const globalNotification = 3
const Access = nullable(Type.Object({ access_level: integer, notification_level: integer }))

function accessOf(level: number | null, notification = globalNotification): Static<typeof Access> {
  return level === null ? null : { access_level: level, notification_level: notification }
}

const permissions = projects.ifView(({ permissions, actor }) => permissions && actor.kind === 'user', {
  permissions: fact(
    nullable(Type.Object({ project_access: Access, group_access: Access })),
    ['projectLevels', 'groupLevels'],
    ({ project, context }, view) => ({
      project_access: accessOf(project.role.projectLevel, view.projectLevels.get(project.id)),
      group_access: accessOf(project.role.groupLevel, view.groupLevels.get(context.namespace_id)),
    }),
  ),
})

/** A project (contract 21, Project); at the basic level only the members of that are there. */
export const ProjectObject = object('Project', projects, {
  ...BasicProject.fields,
  ...projects.ifView(({ isFull }) => isFull, { ...overview, ...pipelines, ...merging, ...larger, ...permissions }),
})
export type PresentedProject = Static<typeof ProjectObject>
