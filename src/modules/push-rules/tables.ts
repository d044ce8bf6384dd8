import type { Generated, Selectable } from 'kysely'

/** Requirements for pushes (contract 22, PushRule). A regular expression that is null or blank is not checked. */
export type PushRulesTable = {
  id: Generated<number>
  /** Null for the rule of a group. */
  project_id: number | null
  /** The group whose new projects get a copy; null for the rule of a project. */
  namespace_id: number | null
  commit_message_regex: string | null
  commit_message_negative_regex: string | null
  branch_name_regex: string | null
  author_email_regex: string | null
  file_name_regex: string | null
  deny_delete_tag: Generated<boolean>
  member_check: Generated<boolean>
  prevent_secrets: Generated<boolean>
  /** In MiB; 0 for any size. */
  max_file_size: Generated<number>
  commit_committer_check: Generated<boolean>
  commit_committer_name_check: Generated<boolean>
  reject_unsigned_commits: Generated<boolean>
  reject_non_dco_commits: Generated<boolean>
  created_at: string
  updated_at: string
}

export type PushRuleRow = Selectable<PushRulesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    push_rules: PushRulesTable
  }
}
