/**
 * Protected branches (of a project, or of a top-level group for all projects below) and protected tags, each with lists of
 * access levels (contract 01). Every kind of list has its own id sequence. An entry names exactly one access level, user,
 * group or deploy key, and is deleted with it.
 */
import { partial, type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** A rule that protects branches: of a project, or of a top-level group for all projects below it (contract 01). */
export const protectedBranches = table(
  'protected_branches',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    /** A branch name; `*` matches any run of characters. */
    name: t.name(),
    allow_force_push: t.boolean().default(false),
    code_owner_approval_required: t.boolean().default(false),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    checks: ['(project_id is null) <> (namespace_id is null)'],
    unique: { project: partial('project_id', 'name'), namespace: partial('namespace_id', 'name') },
  },
)
export type ProtectedBranchesTable = TableOf<typeof protectedBranches>

/** The columns of an entry of a rule's list. */
const entry = (rules: string) => ({
  id: t.id(),
  rule_id: t.refers(rules, 'cascade'),
  access_level: t.integer().nullable(),
  user_id: t.refers('users', 'cascade').nullable(),
  group_id: t.refers('namespaces', 'cascade').nullable(),
})
const entryOfKey = (rules: string) => ({ ...entry(rules), deploy_key_id: t.refers('keys', 'cascade').nullable() })

/** Exactly one of role, user, group and deploy key is set. */
const one = (...columns: string[]) => [
  `1 = ${columns.map((column) => `(case when ${column} is null then 0 else 1 end)`).join(' + ')}`,
]
const ofEntry = {
  checks: one('access_level', 'user_id', 'group_id'),
  indexes: { rule_id: ['rule_id'], user_id: ['user_id'], group_id: ['group_id'] },
} as const
const ofEntryOfKey = {
  checks: one('access_level', 'user_id', 'group_id', 'deploy_key_id'),
  indexes: { ...ofEntry.indexes, deploy_key_id: ['deploy_key_id'] },
} as const

export const protectedBranchPushAccessLevels = table(
  'protected_branch_push_access_levels',
  entryOfKey('protected_branches'),
  ofEntryOfKey,
)
export const protectedBranchMergeAccessLevels = table(
  'protected_branch_merge_access_levels',
  entry('protected_branches'),
  ofEntry,
)
export const protectedBranchUnprotectAccessLevels = table(
  'protected_branch_unprotect_access_levels',
  entry('protected_branches'),
  ofEntry,
)
export const protectedTagCreateAccessLevels = table(
  'protected_tag_create_access_levels',
  entryOfKey('protected_tags'),
  ofEntryOfKey,
)

export type ProtectedBranchRow = RowOf<typeof protectedBranches>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      | typeof protectedBranches
      | typeof protectedBranchMergeAccessLevels
      | typeof protectedBranchPushAccessLevels
      | typeof protectedBranchUnprotectAccessLevels
      | typeof protectedTagCreateAccessLevels
    > {}
}
