import type { Reader } from '../../../infra/database/index.ts'
import type { ExportedLine, ExportedLines, Platform, Portable } from '../../../platform/index.ts'
import { exportedIssuableParts } from '../../issuables/index.ts'
import { dividedByNotes } from '../../notes/index.ts'
import { approvalsOf, type NamedRule, reviewersOf, rulesOf } from '../approvals/store.ts'
import type { MergeRequestRow, VersionRow } from '../tables.ts'
import { mergeRequestsAfter, newestVersions } from './store.ts'

function columnsOf(row: MergeRequestRow): ExportedLine {
  const { iid, title, description, source_branch, target_branch, project_id, author_id, state } = row
  const { created_at, updated_at, draft, squash, sha, target_sha, discussion_locked } = row
  const { merge_commit_sha, squash_commit_sha, merge_user_id, merge_error, prepared_at } = row
  const { force_remove_source_branch, should_remove_source_branch } = row
  return {
    ...{ iid, title, description, source_branch, target_branch },
    // Merge requests between projects do not exist.
    ...{ source_project_id: project_id, target_project_id: project_id },
    ...{ author_id, state, created_at, updated_at, draft, squash, discussion_locked },
    ...{ merge_commit_sha, squash_commit_sha, merge_user_id, merge_error, prepared_at },
    merge_params: { force_remove_source_branch, should_remove_source_branch },
    ...{ diff_head_sha: sha, source_branch_sha: sha, target_branch_sha: target_sha },
  }
}

const metricsOf = ({ merged_at, merge_user_id, closed_at, closed_by_id }: MergeRequestRow): ExportedLine => ({
  ...{ merged_at, merged_by_id: merge_user_id, latest_closed_at: closed_at, latest_closed_by_id: closed_by_id },
})

const diffOf = ({ head_sha, base_sha, start_sha, commit_count, file_count, created_at }: VersionRow): ExportedLine => ({
  ...{ base_commit_sha: base_sha, head_commit_sha: head_sha, start_commit_sha: start_sha },
  ...{ commits_count: commit_count, files_count: file_count, created_at },
})

async function linesOf(
  platform: Platform,
  db: Reader,
  portable: Portable,
  rows: readonly MergeRequestRow[],
): Promise<ExportedLine[]> {
  const ids = rows.map(({ id }) => id)
  const milestones = new Map(rows.map(({ id, milestone_id }) => [id, milestone_id]))
  const shared = await exportedIssuableParts(platform, db, portable, 'MergeRequest', milestones)
  const approvals = await approvalsOf(db, ids)
  const reviewers = await reviewersOf(db, ids)
  const versions = await newestVersions(db, ids)
  return rows.map((row) => {
    const { parts, assignees, timeEstimate } = shared(row.id)
    const version = versions.get(row.id)
    return {
      ...columnsOf(row),
      time_estimate: timeEstimate,
      approvals: (approvals.get(row.id) ?? []).map(({ user_id, created_at }) => ({ user_id, created_at })),
      metrics: metricsOf(row),
      merge_request_assignees: assignees,
      merge_request_reviewers: (reviewers.get(row.id) ?? []).map(({ user_id, state, created_at }) => ({
        ...{ user_id, state, created_at },
      })),
      merge_request_diff: version ? diffOf(version) : null,
      ...parts,
    }
  })
}

/** The merge requests of a project (contract 14). */
export const exportedMergeRequests: ExportedLines = async function* (platform, db, portable) {
  let rows = await mergeRequestsAfter(db, portable.id, 0)
  for (; rows.length > 0; rows = await mergeRequestsAfter(db, portable.id, rows.at(-1)?.iid ?? 0)) {
    for await (const part of dividedByNotes(db, 'MergeRequest', rows)) yield await linesOf(platform, db, portable, part)
  }
}

const ruleLine = ({ userIds, groupIds, branches, ...rule }: NamedRule): ExportedLine => ({
  ...{ name: rule.name, rule_type: rule.rule_type, report_type: rule.report_type },
  ...{ approvals_required: rule.approvals_required, created_at: rule.created_at },
  applies_to_all_protected_branches: rule.applies_to_all_protected_branches,
  users: userIds.map((user_id) => ({ user_id })),
  groups: groupIds.map((group_id) => ({ group_id })),
  protected_branches: branches.map((name) => ({ name })),
})

/** The approval rules of a project (contract 14). Their number is limited. */
export const exportedApprovalRules: ExportedLines = async function* (_platform, db, { id }) {
  yield (await rulesOf(db, [id])).map(ruleLine)
}
