/** Source files, as patterns, and tests besides those of their modules. */
export type Target = { sources: readonly string[]; tests: readonly string[] }

/** So much of the changes to what decides who may, and what survives, has to be noticed. */
export const goalPercent = 95

const module = (name: string, parts: string, tests: readonly string[] = []): Target => ({
  sources: parts.split(' ').map((part) => `src/modules/${name}/${part}`),
  tests,
})

/** What decides who may, and what survives. */
export const goal: readonly Target[] = [
  module('access', 'policy.ts', [
    'src/modules/projects/core/access.test.ts',
    'tests/access-policy.test.ts',
    'tests/access-matrix.test.ts',
  ]),
  module('alerts', 'integrations/validation.ts'),
  module('ci-config', 'rules/*.ts'),
  module('container-registry', 'cleanup/selection.ts protection/rules.ts deletion/transitions.ts'),
  module('epics', 'core/hierarchy.ts'),
  module('groups', 'core/validation.ts lists/store/selection.ts lists/store/access.ts'),
  module('hooks', 'core/validation.ts delivery/*.ts'),
  module('issues', 'core/validation.ts'),
  module('keys', 'rules.ts'),
  module('labels', 'core/validation.ts'),
  module('members', 'rules.ts'),
  module('merge-requests', 'mergeability/*.ts approvals/rules.ts core/validation.ts'),
  module('milestones', 'validation.ts'),
  module('namespaces', 'store/selection.ts', ['src/modules/groups']),
  module('oauth', 'applications/rules.ts authorization/redirects.ts authorization/request.ts'),
  module('pipelines', 'processing/transitions.ts statuses/transitions.ts'),
  module('projects', 'refs/rules.ts settings/policy-runs.ts lists/store/scopes.ts lists/store/access.ts', [
    'src/modules/labels/core',
    'src/modules/milestones',
    'src/modules/issues/lists/lists.test.ts',
    'src/modules/merge-requests/lists/lists.test.ts',
  ]),
  module('protected-branches', 'rules/rules.ts store/rules.ts'),
  module('push-rules', 'rules/*.ts'),
  module('releases', 'links/validation.ts'),
  module('replication', 'nodes/rules.ts protocol/**/*.ts'),
  module('runners', 'protocol/*.ts core/validation.ts'),
  module('snippets', 'core/rules.ts'),
  module('status-checks', 'checks.ts responses.ts statuses.ts'),
  module('tokens', 'validation.ts'),
  module('users', 'accounts/rules.ts'),
  module('variables', 'stored/validation.ts delivery/*.ts'),
]
