import type { Generated, Selectable } from 'kysely'

/** A rule that protects branches: of a project, or of a top-level group for all projects below it (contract 01). */
export type ProtectedBranchesTable = {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  /** A branch name; `*` matches any run of characters. */
  name: string
  allow_force_push: Generated<boolean>
  code_owner_approval_required: Generated<boolean>
  created_at: string
  updated_at: string
}

/** An entry of a rule's list; exactly one of role, user, group and deploy key is set. */
type AccessLevelsTable = {
  id: Generated<number>
  rule_id: number
  access_level: number | null
  user_id: number | null
  group_id: number | null
}

/** An entry that may name a deploy key. */
type KeyAccessLevelsTable = AccessLevelsTable & { deploy_key_id: number | null }

export type ProtectedBranchRow = Selectable<ProtectedBranchesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    protected_branches: ProtectedBranchesTable
    protected_branch_push_access_levels: KeyAccessLevelsTable
    protected_branch_merge_access_levels: AccessLevelsTable
    protected_branch_unprotect_access_levels: AccessLevelsTable
    protected_tag_create_access_levels: KeyAccessLevelsTable
  }
}
