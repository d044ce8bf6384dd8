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

const define = (
  name: string,
  type: FeatureDefinition['type'],
  isDefault: boolean,
  milestone: string | null = null,
): FeatureDefinition => ({
  name,
  introduced_by_url: null,
  rollout_issue_url: null,
  milestone,
  log_state_changes: null,
  type,
  group: null,
  default_enabled: isDefault,
})

/** Every flag that is evaluated, by name. */
export const definitions = [
  // Off: `masked_and_hidden` of CI/CD variables is ignored (contract 03).
  define('ci_hidden_variables', 'development', true, '17.4'),
  // Off: due pipeline schedules wait (contract 04).
  define('pipeline_schedule_worker', 'ops', true),
  // On: broadcast messages are delivered only to their roles (contract 06).
  define('role_targeted_broadcast_messages', 'development', false, '14.8'),
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
