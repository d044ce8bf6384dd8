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
  module('access', 'permissions.ts giving-roles.ts store/permissions.ts', ['src/modules/member-roles']),
  module('alerts', 'integrations/validation.ts'),
  module('audit', 'expiry.ts'),
  module('boards', 'lists/store/reachable.ts'),
  module('ci-config', 'rules/*.ts'),
  module(
    'container-registry',
    'cleanup/selection.ts protection/rules.ts tag-protection/rules.ts deletion/transitions.ts',
  ),
  module('deploy-keys', 'access.ts', ['src/modules/git-transport']),
  module('draft-notes', 'drafts.ts publishing.ts store.ts'),
  module('environments', 'approvals/approvals.ts approvals/progress.ts core/protection.ts jobs/holds.ts stopping/*.ts'),
  module('epics', 'core/hierarchy.ts core/access.ts'),
  module('feature-flags', 'flags/strategy-rules.ts flags/validation.ts unleash/authentication.ts unleash/delivery.ts'),
  module('git-transport', 'access/*.ts', ['src/modules/pipelines/tokens/git.test.ts']),
  module('groups', 'core/validation.ts lists/store/selection.ts lists/store/access.ts'),
  module('groups', 'access.ts'),
  module('hooks', 'core/validation.ts delivery/*.ts'),
  module('integrations', 'core/validation.ts delivery/wants.ts'),
  module('issues', 'core/validation.ts'),
  module('issues', 'core/access.ts lists/store/visibility.ts'),
  module('keys', 'rules.ts'),
  module('labels', 'core/validation.ts'),
  module('lfs', 'access/*.ts'),
  module('member-roles', 'member-roles.ts store.ts'),
  module('members', 'rules.ts'),
  module('merge-requests', 'mergeability/*.ts approvals/rules.ts core/validation.ts'),
  module(
    'merge-requests',
    'approvals/progress.ts approvals/coverage.ts approvals/committers.ts approval-rules/applicable.ts approval-settings/effective.ts approval-settings/keys.ts',
  ),
  module('merge-requests', 'lists/store/visibility.ts'),
  module('merge-trains', 'core/adding.ts core/subject.ts running/hindrances.ts running/leaving.ts'),
  module('milestones', 'validation.ts'),
  module('namespaces', 'store/selection.ts', ['src/modules/groups']),
  module('notifications', 'settings/levels.ts telling/decide.ts telling/recipients.ts'),
  module('oauth', 'applications/rules.ts authorization/redirects.ts authorization/request.ts'),
  module('packages', 'access/*.ts protection/rules.ts removal/policies.ts lists/store/scopes.ts'),
  module('pages', 'access/*.ts'),
  module('pipelines', 'processing/transitions.ts processing/failures.ts statuses/transitions.ts'),
  module('projects', 'core/access.ts core/visibility.ts', ['tests/access-policy.test.ts']),
  module('projects', 'refs/rules.ts settings/policy-runs.ts lists/store/scopes.ts lists/store/access.ts', [
    'src/modules/labels/core',
    'src/modules/milestones',
    'src/modules/issues/lists/lists.test.ts',
    'src/modules/merge-requests/lists/lists.test.ts',
  ]),
  module('projects', 'job-scope/allowlist.ts job-scope/reach.ts job-scope/store.ts', ['src/modules/packages/access']),
  module('protected-branches', 'rules/rules.ts store/rules.ts'),
  module('protected-branches', 'access/*.ts'),
  module('protected-environments', 'access/*.ts rules/entries.ts rules/rules.ts ends/removal.ts ends/store.ts'),
  module('protected-tags', 'tag-access.ts'),
  module('push-rules', 'rules/*.ts'),
  module('releases', 'links/validation.ts'),
  module('replication', 'nodes/rules.ts protocol/**/*.ts'),
  module('runners', 'protocol/*.ts core/validation.ts'),
  module('search', 'search.ts notes.ts'),
  module('snippets', 'core/rules.ts core/access.ts'),
  module('ssh-certificates', 'certificates.ts sign-in.ts'),
  module('status-checks', 'checks.ts responses.ts statuses.ts'),
  module('terraform-states', 'locks.ts states.ts'),
  module('tokens', 'validation.ts'),
  module('users', 'accounts/rules.ts directory/store/visibility.ts'),
  module('variables', 'stored/validation.ts delivery/*.ts'),
]
