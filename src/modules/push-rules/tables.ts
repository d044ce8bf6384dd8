/** Push rules of projects, and those that a group gives to its new projects (contract 22, PushRule). */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** Requirements for pushes (contract 22, PushRule). A regular expression that is null or blank is not checked. */
export const pushRules = table(
  'push_rules',
  {
    id: t.id(),
    /** Null for the rule of a group. */
    project_id: t.refers('projects', 'cascade').nullable(),
    /** The group whose new projects get a copy; null for the rule of a project. */
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    commit_message_regex: t.text().nullable(),
    commit_message_negative_regex: t.text().nullable(),
    branch_name_regex: t.text().nullable(),
    author_email_regex: t.text().nullable(),
    file_name_regex: t.text().nullable(),
    deny_delete_tag: t.boolean().default(false),
    member_check: t.boolean().default(false),
    prevent_secrets: t.boolean().default(false),
    /** In MiB; 0 for any size. */
    max_file_size: t.integer().default(0),
    commit_committer_check: t.boolean().default(false),
    commit_committer_name_check: t.boolean().default(false),
    reject_unsigned_commits: t.boolean().default(false),
    reject_non_dco_commits: t.boolean().default(false),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    checks: ['(project_id is null) <> (namespace_id is null)'],
    unique: { project: ['project_id'], namespace: ['namespace_id'] },
  },
)

export type PushRuleRow = RowOf<typeof pushRules>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof pushRules> {}
}
