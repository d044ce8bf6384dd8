/**
 * Merge requests (contract 19) with the versions of their diffs, the commits of the newest version, reviewers, approvals and
 * the rules of approvals. What a row says of Git is as of the last recorded push: `sha` is the head of the source branch,
 * `target_sha` that of the target branch. The result of a check counts while it names the same two commits.
 */
import { partial, type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'
import type { ImportSource } from '../../platform/index.ts'

/** States of a merge request: `locked` while its target branch moves (contract 19, "Rules and state machines"). */
export const mergeRequestStates = ['opened', 'closed', 'locked', 'merged'] as const

/** What a merge was asked for, where it is done later: when the pipeline has succeeded. */
export type AutoMerge = {
  userId: number
  /** The head that is merged; a later one cancels the wish. */
  sha: string
  squash: boolean | null
  mergeCommitMessage: string | null
  squashCommitMessage: string | null
  /** Set where a merge train merges it: `waiting` until nothing stands against that, `entered` while a train has it (contract 26 R3). */
  train?: 'waiting' | 'entered'
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

export const mergeRequests = table(
  'merge_requests',
  {
    id: t.id(),
    /** Number of the merge request in its project. */
    iid: t.bigint(),
    project_id: t.refers('projects', 'cascade'),
    author_id: t.refers('users', 'cascade'),
    title: t.text(),
    description: t.text().nullable(),
    state: t.oneOf(...mergeRequestStates).default('opened'),
    /** Whether the title marks it as a draft. */
    draft: t.boolean(),
    /** Short names. */
    source_branch: t.name(),
    target_branch: t.name(),
    /** The head of the source branch as of the last recorded push, also after the branch was deleted. */
    sha: t.text(),
    source_exists: t.boolean().default(true),
    /** The head of the target branch as of the last recorded push; null while there is no such branch. */
    target_sha: t.text().nullable(),
    milestone_id: t.refers('milestones', 'set null').nullable(),
    discussion_locked: t.boolean().nullable(),
    squash: t.boolean(),
    /** Null until a merge is asked for. */
    should_remove_source_branch: t.boolean().nullable(),
    merge_after: t.time().nullable(),
    auto_merge: t.json<AutoMerge>().nullable(),
    /** Set while it is locked, and then until the source branch is deleted and other requests are retargeted. */
    merging: t.json<Merging>().nullable(),
    /** Why the last merge or rebase failed. */
    merge_error: t.text().nullable(),
    merge_commit_sha: t.text().nullable(),
    squash_commit_sha: t.text().nullable(),
    merge_user_id: t.refers('users', 'set null').nullable(),
    merged_at: t.time().nullable(),
    closed_by_id: t.refers('users', 'set null').nullable(),
    closed_at: t.time().nullable(),
    rebase_started_at: t.time().nullable(),
    /** The two commits that the results of the last check are about. */
    checked_sha: t.text().nullable(),
    checked_target_sha: t.text().nullable(),
    has_conflicts: t.boolean().default(false),
    /** Whether the source has commits that the target has not. */
    is_ahead: t.boolean().default(false),
    /** Whether the target has commits that the source has not. */
    is_behind: t.boolean().default(false),
    prepared_at: t.time().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
    /** What was asked for at creation or edit; null when nothing was. */
    force_remove_source_branch: t.boolean().nullable(),
    /** Where it was imported from. */
    imported_from: t.text<ImportSource>().default('none'),
  },
  {
    unique: {
      iid: { on: ['project_id', 'iid'], isPreferred: true },
      branches: { on: ['project_id', 'source_branch', 'target_branch'], where: "state in ('opened', 'locked')" },
    },
    indexes: {
      target: { on: ['project_id', 'target_branch'], where: "state in ('opened', 'locked')" },
      order: ['project_id', 'created_at', 'id'],
      project_updated: ['project_id', 'updated_at', 'id'],
      created: ['created_at', 'id'],
      updated: ['updated_at', 'id'],
      state: ['project_id', 'state'],
      source: ['project_id', 'source_branch'],
      author: ['author_id', 'created_at', 'id'],
      merge_user: ['merge_user_id'],
      closed_by: ['closed_by_id'],
      milestone: ['milestone_id'],
      merging: { on: ['id'], where: 'merging is not null' },
      auto_merge: { on: ['id'], where: 'auto_merge is not null' },
      merge_commit: { on: ['project_id', 'merge_commit_sha'], where: 'merge_commit_sha is not null' },
      squash_commit: { on: ['project_id', 'squash_commit_sha'], where: 'squash_commit_sha is not null' },
      title: ['lower(title)', 'id'],
      project_title: ['project_id', 'lower(title)', 'id'],
      merged: partial('merged_at', 'id'),
      project_merged: { on: ['project_id', 'merged_at', 'id'], where: 'merged_at is not null' },
      project_author: ['project_id', 'author_id', 'id'],
      project_milestone: ['project_id', 'milestone_id', 'id'],
      project_id: ['project_id', 'id', 'author_id', 'draft'],
      project_merge_user: { on: ['project_id', 'merge_user_id', 'id'], where: 'merge_user_id is not null' },
      draft: { on: ['project_id', 'id'], where: 'draft = true' },
    },
    search: ['title', 'description'],
  },
)
export type MergeRequestsTable = TableOf<typeof mergeRequests>

/** A diff of a merge request as of one head of its source branch. */
export const mergeRequestVersions = table(
  'merge_request_versions',
  {
    id: t.id(),
    merge_request_id: t.refers('merge_requests', 'cascade'),
    head_sha: t.text(),
    /** The last common commit of source and target; null for unrelated histories. */
    base_sha: t.text().nullable(),
    /** The head of the target branch at that time. */
    start_sha: t.text(),
    commit_count: t.integer(),
    /** Number of changed files, up to `mostFiles`. */
    file_count: t.integer(),
    created_at: t.time(),
  },
  {
    indexes: { order: ['merge_request_id', 'id'] },
  },
)
export type MergeRequestVersionsTable = TableOf<typeof mergeRequestVersions>

/** The commits of the newest version, newest first; position 0 is the head. */
export const mergeRequestCommits = table(
  'merge_request_commits',
  {
    merge_request_id: t.refers('merge_requests', 'cascade'),
    project_id: t.refers('projects', 'cascade'),
    sha: t.text(),
    position: t.integer(),
  },
  {
    primaryKey: ['merge_request_id', 'position'],
    indexes: { sha: ['project_id', 'sha', 'merge_request_id'] },
  },
)

/** The issues that a merge closes (contract 19, "Closing records"). */
export const mergeRequestClosings = table(
  'merge_request_closings',
  {
    merge_request_id: t.refers('merge_requests', 'cascade'),
    issue_id: t.refers('issues', 'cascade'),
  },
  {
    primaryKey: ['merge_request_id', 'issue_id'],
    indexes: { issue: ['issue_id', 'merge_request_id'] },
  },
)

export const reviewerStates = [
  'unreviewed',
  'reviewed',
  'requested_changes',
  'approved',
  'unapproved',
  'review_started',
] as const
export type ReviewerState = (typeof reviewerStates)[number]

export const mergeRequestReviewers = table(
  'merge_request_reviewers',
  {
    merge_request_id: t.refers('merge_requests', 'cascade'),
    user_id: t.refers('users', 'cascade'),
    position: t.integer(),
    state: t.text<ReviewerState>(),
    created_at: t.time(),
  },
  {
    primaryKey: ['merge_request_id', 'user_id'],
    indexes: { user: ['user_id', 'merge_request_id'] },
  },
)

export const approvals = table(
  'approvals',
  {
    id: t.id(),
    merge_request_id: t.refers('merge_requests', 'cascade'),
    user_id: t.refers('users', 'cascade'),
    created_at: t.time(),
  },
  {
    unique: ['merge_request_id', 'user_id'],
    indexes: { user: ['user_id'] },
  },
)

export const ruleTypes = ['regular', 'any_approver', 'report_approver'] as const
export type RuleType = (typeof ruleTypes)[number]

export const reportTypes = ['code_coverage', 'license_scanning', 'scan_finding'] as const
export type ReportType = (typeof reportTypes)[number]

export const approvalRules = table(
  'approval_rules',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    name: t.name(),
    /** A regular rule with a report type is a `report_approver`. */
    rule_type: t.oneOf('regular', 'any_approver'),
    approvals_required: t.integer(),
    created_at: t.time(),
    report_type: t.text<ReportType>().nullable(),
    applies_to_all_protected_branches: t.boolean().default(false),
  },
  {
    unique: {
      name: ['project_id', 'name'],
      any_approver: { on: ['project_id'], where: "rule_type = 'any_approver'" },
      report_type: { on: ['project_id', 'report_type'], where: 'report_type is not null' },
    },
  },
)
export type ApprovalRulesTable = TableOf<typeof approvalRules>

export const approvalRuleUsers = table(
  'approval_rule_users',
  {
    rule_id: t.refers('approval_rules', 'cascade'),
    user_id: t.refers('users', 'cascade'),
  },
  {
    primaryKey: ['rule_id', 'user_id'],
    indexes: { user: ['user_id'] },
  },
)
/** The name of a protected branch that a rule is for; the branch may have become unprotected. */
export const approvalRuleBranches = table(
  'approval_rule_branches',
  {
    rule_id: t.refers('approval_rules', 'cascade'),
    name: t.name(),
  },
  {
    primaryKey: ['rule_id', 'name'],
  },
)
export const approvalRuleGroups = table(
  'approval_rule_groups',
  {
    rule_id: t.refers('approval_rules', 'cascade'),
    namespace_id: t.refers('namespaces', 'cascade'),
  },
  {
    primaryKey: ['rule_id', 'namespace_id'],
    indexes: { namespace: ['namespace_id'] },
  },
)

/** A rule of one merge request, or of a group for all projects below it (contract 24, Approvals). */
export const scopedApprovalRules = table(
  'scoped_approval_rules',
  {
    id: t.id(),
    merge_request_id: t.refers('merge_requests', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    /** The rule of the project that one of a merge request was copied from. */
    source_rule_id: t.refers('approval_rules', 'set null').nullable(),
    name: t.name(),
    /** A regular rule with a report type is a `report_approver`. */
    rule_type: t.oneOf('regular', 'any_approver'),
    report_type: t.text<ReportType>().nullable(),
    approvals_required: t.integer(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    checks: ['(merge_request_id is null) <> (namespace_id is null)'],
    unique: {
      request_name: partial('merge_request_id', 'name'),
      group_name: partial('namespace_id', 'name'),
      request_any: { on: ['merge_request_id'], where: "merge_request_id is not null and rule_type = 'any_approver'" },
      group_any: { on: ['namespace_id'], where: "namespace_id is not null and rule_type = 'any_approver'" },
      request_report: {
        on: ['merge_request_id', 'report_type'],
        where: 'merge_request_id is not null and report_type is not null',
      },
      group_report: {
        on: ['namespace_id', 'report_type'],
        where: 'namespace_id is not null and report_type is not null',
      },
    },
    indexes: { source: partial('source_rule_id') },
  },
)

export const scopedApprovalRuleUsers = table(
  'scoped_approval_rule_users',
  {
    rule_id: t.refers('scoped_approval_rules', 'cascade'),
    user_id: t.refers('users', 'cascade'),
  },
  {
    primaryKey: ['rule_id', 'user_id'],
    indexes: { user: ['user_id'] },
  },
)
export const scopedApprovalRuleGroups = table(
  'scoped_approval_rule_groups',
  {
    rule_id: t.refers('scoped_approval_rules', 'cascade'),
    namespace_id: t.refers('namespaces', 'cascade'),
  },
  {
    primaryKey: ['rule_id', 'namespace_id'],
    indexes: { namespace: ['namespace_id'] },
  },
)

export type ScopedRuleRow = RowOf<typeof scopedApprovalRules>
export type MergeRequestRow = RowOf<typeof mergeRequests>
export type VersionRow = RowOf<typeof mergeRequestVersions>
export type ApprovalRow = RowOf<typeof approvals>
export type ApprovalRuleRow = RowOf<typeof approvalRules>
export type ReviewerRow = RowOf<typeof mergeRequestReviewers>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      | typeof mergeRequests
      | typeof mergeRequestVersions
      | typeof mergeRequestCommits
      | typeof mergeRequestClosings
      | typeof mergeRequestReviewers
      | typeof approvals
      | typeof approvalRules
      | typeof approvalRuleUsers
      | typeof approvalRuleBranches
      | typeof approvalRuleGroups
      | typeof scopedApprovalRules
      | typeof scopedApprovalRuleUsers
      | typeof scopedApprovalRuleGroups
    > {}
}
