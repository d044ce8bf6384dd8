import type { ColumnType, Generated, Selectable } from 'kysely'

/** A JSON column that may be null. */
type OptionalJson<T> = ColumnType<T | null, string | null | undefined, string | null>

/** States of a merge request: `locked` while its target branch moves (contract 19, "Rules and state machines"). */
export const mergeRequestStates = ['opened', 'closed', 'locked', 'merged'] as const
export type MergeRequestState = (typeof mergeRequestStates)[number]

/** What a merge was asked for, where it is done later: when the pipeline has succeeded. */
export type AutoMerge = {
  userId: number
  /** The head that is merged; a later one cancels the wish. */
  sha: string
  squash: boolean | null
  mergeCommitMessage: string | null
  squashCommitMessage: string | null
}

/** A merge whose commits are written, while the target branch moves to `target`. */
export type Merging = {
  userId: number | null
  /** Whether the request had administrator rights. */
  administrator: boolean
  /** The head of the target branch afterwards. */
  target: string
  mergeCommit: string | null
  squashCommit: string | null
  startedAt: string
  /** The process that merges, by its presence; missing in what former versions have begun. */
  process?: string
}

export type MergeRequestsTable = {
  id: Generated<number>
  /** Number of the merge request in its project. */
  iid: number
  project_id: number
  author_id: number
  title: string
  description: string | null
  state: Generated<MergeRequestState>
  /** Whether the title marks it as a draft. */
  draft: boolean
  /** Short names. */
  source_branch: string
  target_branch: string
  /** The head of the source branch as of the last recorded push, also after the branch was deleted. */
  sha: string
  source_exists: Generated<boolean>
  /** The head of the target branch as of the last recorded push; null while there is no such branch. */
  target_sha: string | null
  milestone_id: Generated<number | null>
  discussion_locked: Generated<boolean | null>
  squash: boolean
  /** What was asked for at creation or edit; null when nothing was. */
  force_remove_source_branch: Generated<boolean | null>
  /** Null until a merge is asked for. */
  should_remove_source_branch: Generated<boolean | null>
  merge_after: Generated<string | null>
  auto_merge: OptionalJson<AutoMerge>
  /** Set while it is locked, and then until the source branch is deleted and other requests are retargeted. */
  merging: OptionalJson<Merging>
  /** Why the last merge or rebase failed. */
  merge_error: Generated<string | null>
  merge_commit_sha: Generated<string | null>
  squash_commit_sha: Generated<string | null>
  merge_user_id: Generated<number | null>
  merged_at: Generated<string | null>
  closed_by_id: Generated<number | null>
  closed_at: Generated<string | null>
  rebase_started_at: Generated<string | null>
  /** The two commits that the results of the last check are about. */
  checked_sha: Generated<string | null>
  checked_target_sha: Generated<string | null>
  has_conflicts: Generated<boolean>
  /** Whether the source has commits that the target has not. */
  is_ahead: Generated<boolean>
  /** Whether the target has commits that the source has not. */
  is_behind: Generated<boolean>
  prepared_at: Generated<string | null>
  created_at: string
  updated_at: string
}

/** A diff of a merge request as of one head of its source branch. */
export type MergeRequestVersionsTable = {
  id: Generated<number>
  merge_request_id: number
  head_sha: string
  /** The last common commit of source and target; null for unrelated histories. */
  base_sha: string | null
  /** The head of the target branch at that time. */
  start_sha: string
  commit_count: number
  /** Number of changed files, up to `mostFiles`. */
  file_count: number
  created_at: string
}

/** The commits of the newest version, newest first; position 0 is the head. */
export type MergeRequestCommitsTable = { merge_request_id: number; project_id: number; sha: string; position: number }

/** The issues that a merge closes (contract 19, "Closing records"). */
export type MergeRequestClosingsTable = { merge_request_id: number; issue_id: number }

export const reviewerStates = [
  'unreviewed',
  'reviewed',
  'requested_changes',
  'approved',
  'unapproved',
  'review_started',
] as const
export type ReviewerState = (typeof reviewerStates)[number]

export type MergeRequestReviewersTable = {
  merge_request_id: number
  user_id: number
  position: number
  state: ReviewerState
  created_at: string
}

export type ApprovalsTable = { id: Generated<number>; merge_request_id: number; user_id: number; created_at: string }

export const ruleTypes = ['regular', 'any_approver', 'report_approver'] as const
export type RuleType = (typeof ruleTypes)[number]

export const reportTypes = ['code_coverage', 'license_scanning', 'scan_finding'] as const
export type ReportType = (typeof reportTypes)[number]

export type ApprovalRulesTable = {
  id: Generated<number>
  project_id: number
  name: string
  /** A regular rule with a report type is a `report_approver`. */
  rule_type: 'regular' | 'any_approver'
  report_type: Generated<ReportType | null>
  applies_to_all_protected_branches: Generated<boolean>
  approvals_required: number
  created_at: string
}

export type ApprovalRuleUsersTable = { rule_id: number; user_id: number }
/** The name of a protected branch that a rule is for; the branch may have become unprotected. */
export type ApprovalRuleBranchesTable = { rule_id: number; name: string }
export type ApprovalRuleGroupsTable = { rule_id: number; namespace_id: number }

export type MergeRequestRow = Selectable<MergeRequestsTable>
export type VersionRow = Selectable<MergeRequestVersionsTable>
export type ApprovalRow = Selectable<ApprovalsTable>
export type ApprovalRuleRow = Selectable<ApprovalRulesTable>
export type ReviewerRow = Selectable<MergeRequestReviewersTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    merge_requests: MergeRequestsTable
    merge_request_versions: MergeRequestVersionsTable
    merge_request_commits: MergeRequestCommitsTable
    merge_request_closings: MergeRequestClosingsTable
    merge_request_reviewers: MergeRequestReviewersTable
    approvals: ApprovalsTable
    approval_rules: ApprovalRulesTable
    approval_rule_users: ApprovalRuleUsersTable
    approval_rule_groups: ApprovalRuleGroupsTable
    approval_rule_branches: ApprovalRuleBranchesTable
  }
}
