/**
 * Environments to which only some may deploy, and whose deployments some have to approve (contract 24, ProtectedEnvironment): by
 * name in a project, and by tier below a group.
 */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const protectedEnvironments = table(
  'protected_environments',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    /** Name of an environment, which need not exist; of a group: a tier. */
    name: t.name(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    checks: ['(project_id is null) <> (namespace_id is null)'],
    unique: { project: partial('project_id', 'name'), namespace: partial('namespace_id', 'name') },
  },
)
export type ProtectedEnvironmentRow = RowOf<typeof protectedEnvironments>

/** How many of the columns that name someone are set. */
const named = ['access_level', 'user_id', 'group_id']
  .map((column) => `(case when ${column} is null then 0 else 1 end)`)
  .join(' + ')

const shared = {
  id: t.id(),
  protected_environment_id: t.refers('protected_environments', 'cascade'),
  access_level: t.integer().nullable(),
  /** Of an entry for a group: 0 for its direct members, 1 also for inherited ones. */
  group_inheritance_type: t.integer().default(0),
}
const indexes = { environment: ['protected_environment_id', 'id'], user: ['user_id'], group: ['group_id'] } as const

/** Who may deploy. An entry is deleted with the user or group that it names. */
export const deployAccessLevels = table(
  'protected_environment_deploy_levels',
  {
    ...shared,
    user_id: t.refers('users', 'cascade').nullable(),
    group_id: t.refers('namespaces', 'cascade').nullable(),
  },
  { checks: [`1 = ${named}`], indexes },
)

/** Who has to approve. A rule stays when the user or group is deleted that it names, and is for maintainers from then on. */
export const environmentApprovalRules = table(
  'protected_environment_approval_rules',
  {
    ...shared,
    user_id: t.refers('users', 'set null').nullable(),
    group_id: t.refers('namespaces', 'set null').nullable(),
    required_approvals: t.integer(),
  },
  { checks: [`1 >= ${named}`], indexes },
)

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<typeof protectedEnvironments | typeof deployAccessLevels | typeof environmentApprovalRules> {}
}
