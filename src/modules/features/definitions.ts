/** What a feature flag of the instance is for (contract 05, Feature definition). */
export type FeatureDefinition = {
  name: string
  introduced_by_url: string | null
  rollout_issue_url: string | null
  milestone: string | null
  log_state_changes: boolean | null
  type: 'development' | 'ops' | 'experiment' | 'wip' | 'beta' | 'gitlab_com_derisk' | 'undefined'
  group: string | null
  default_enabled: boolean
}

/** Every change of a feature is logged. */
const define = (
  name: string,
  given: Pick<FeatureDefinition, 'type' | 'milestone' | 'group' | 'default_enabled'>,
): FeatureDefinition => ({ name, introduced_by_url: null, rollout_issue_url: null, log_state_changes: true, ...given })

/** A worker that can be paused; it is on by default. */
const worker = <Name extends string>(name: Name, group: string) =>
  ({ ...define(name, { type: 'ops', milestone: '17.7', group, default_enabled: true }), name }) as const

const behaviour = <Name extends string>(
  name: Name,
  given: { milestone: string; group: string; default_enabled: boolean },
) => ({ ...define(name, { type: 'development', ...given }), name }) as const

/** Every flag that is evaluated, by name. */
export const definitions = [
  // On: guests and planners of private projects read their packages (contract 23 R1).
  behaviour('allow_guest_plus_roles_to_pull_packages', {
    milestone: '17.9',
    group: 'group::package registry',
    default_enabled: false,
  }),
  // Off: alerts open no incidents; they are opened later (contract 07).
  worker('alert_incident_worker', 'group::platform insights'),
  // Off: groups have no approval rules, and those that they have do not count (contract 24).
  behaviour('approval_group_rules', { milestone: '16.7', group: 'group::source code', default_enabled: true }),
  // Off: merge requests wait that merge when their pipeline succeeds (contract 19).
  worker('auto_merge_worker', 'group::code review'),
  // Off: `masked_and_hidden` of CI/CD variables is ignored (contract 03).
  behaviour('ci_hidden_variables', { milestone: '17.4', group: 'group::pipeline security', default_enabled: true }),
  // Off: the runs of cleanup policies wait (contract 02).
  worker('container_registry_cleanup_worker', 'group::container registry'),
  // Off: nothing that images have left is deleted (contract 02).
  worker('container_registry_gc_worker', 'group::container registry'),
  // Off: projects are not imported from archives at an address (contract 25).
  behaviour('import_project_from_remote_file', { milestone: '14.2', group: 'group::import', default_enabled: true }),
  // Off: projects are not imported from archives in a bucket (contract 25).
  behaviour('import_project_from_remote_file_s3', { milestone: '14.9', group: 'group::import', default_enabled: true }),
  // Off: mails wait.
  worker('mail_worker', 'group::authentication'),
  // Off: due pipeline schedules wait (contract 04).
  worker('pipeline_schedule_worker', 'group::pipeline authoring'),
  // Off: pull mirrors wait (contract 22).
  worker('pull_mirror_worker', 'group::source code'),
  // Off: push mirrors wait (contract 22).
  worker('push_mirror_worker', 'group::source code'),
  // Off: exports of relations wait (contract 14).
  worker('relation_export_worker', 'group::import'),
  // Off: repositories are not packed.
  worker('repository_maintenance_worker', 'group::gitaly'),
  // On: broadcast messages are delivered only to their roles (contract 06).
  behaviour('role_targeted_broadcast_messages', {
    milestone: '14.8',
    group: 'group::acquisition',
    default_enabled: false,
  }),
  // Off: events of webhooks wait (contract 21).
  worker('web_hook_worker', 'group::import'),
] as const satisfies readonly FeatureDefinition[]

const byName: ReadonlyMap<string, FeatureDefinition> = new Map(definitions.map((one) => [one.name, one]))

export function definitionOf(name: string): FeatureDefinition | null {
  return byName.get(name) ?? null
}

/** Names of features that depend on a license; they cannot be the name of a flag by accident (contract 05, 2.26). */
export const licensedFeatureNames: ReadonlySet<string> = new Set([
  'code_owners',
  'epics',
  'group_wikis',
  'iterations',
  'merge_request_approvers',
  'multiple_issue_assignees',
  'protected_environments',
  'push_rules',
  'repository_mirrors',
  'requirements',
  'scoped_labels',
  'security_dashboard',
])
