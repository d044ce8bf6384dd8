import type { Tx } from '../../../infra/database/index.ts'
import { parseOid } from '../../../infra/git/index.ts'
import {
  authoredText,
  BadLine,
  booleanOf,
  type ImportedLine,
  type Importing,
  type ImportLine,
  iidOf,
  integerOf,
  lineOf,
  linesOf,
  type Platform,
  requiredText,
  shaOf,
  textOf,
  timeOf,
  timesOf,
  userOf,
  wordOf,
} from '../../../platform/index.ts'
import { reserveInternalId } from '../../../platform/internal-ids/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { importedMilestone, importIssuableParts } from '../../issuables/index.ts'
import { insertApproval, insertReviewers, insertRule } from '../approvals/store.ts'
import { isDraft } from '../core/drafts.ts'
import { insertMergeRequest } from '../core/store.ts'
import { versionColumns } from '../heads/observe.ts'
import { insertVersion } from '../heads/store.ts'
import { type NewVersion, readVersion } from '../heads/version.ts'
import { reportTypes, reviewerStates } from '../tables.ts'

/** Under which a project numbers its merge requests. */
const numbered = 'merge_requests'

/** The commits of a merge request, as a line says them. @throws BadLine */
function commitsOf(line: ImportedLine) {
  const diff = lineOf(line, 'merge_request_diff') ?? {}
  const head = shaOf(diff, 'head_commit_sha') ?? shaOf(line, 'diff_head_sha') ?? shaOf(line, 'source_branch_sha')
  const start = shaOf(diff, 'start_commit_sha') ?? shaOf(line, 'target_branch_sha')
  if (head === null) throw new BadLine('diff_head_sha is missing')
  return { head, start, target: shaOf(line, 'target_branch_sha') ?? start }
}

/** The diff of a merge request, from the repository; null where that does not have its commits. */
async function versionOf(platform: Platform, into: Importing, commits: ReturnType<typeof commitsOf>) {
  const { repository, snapshot } = await openRepository(platform, into)
  const [head, start] = [parseOid(commits.head), parseOid(commits.start ?? '')]
  const found = head && start ? await repository.commits([head, start]) : new Map()
  const version: NewVersion | null =
    head && start && found.has(head) && found.has(start) ? await readVersion(repository, head, start) : null
  return { version, snapshot }
}

/** What a line says of a merge request that was merged or closed. @throws BadLine */
function endOf(into: Importing, line: ImportedLine, state: 'opened' | 'closed' | 'merged') {
  const metrics = lineOf(line, 'metrics') ?? {}
  const isMerged = state === 'merged'
  return {
    merged_at: isMerged ? timeOf(metrics, 'merged_at') : null,
    merge_user_id: isMerged ? (userOf(into, metrics, 'merged_by_id') ?? userOf(into, line, 'merge_user_id')) : null,
    merge_commit_sha: isMerged ? shaOf(line, 'merge_commit_sha') : null,
    squash_commit_sha: isMerged ? shaOf(line, 'squash_commit_sha') : null,
    closed_at: state === 'closed' ? timeOf(metrics, 'latest_closed_at') : null,
    closed_by_id: state === 'closed' ? userOf(into, metrics, 'latest_closed_by_id') : null,
  }
}

/** The row of a merge request, but for its milestone. @throws BadLine */
function readRequest(into: Importing, line: ImportedLine) {
  const { authorId, text } = authoredText(into, line, textOf(line, 'description'))
  const title = requiredText(line, 'title')
  const state = wordOf(line, 'state', ['opened', 'closed', 'merged'], 'opened')
  const params = lineOf(line, 'merge_params') ?? {}
  const times = timesOf(line)
  return {
    ...{ project_id: into.id, iid: iidOf(line), author_id: authorId, imported_from: into.source },
    ...{ title, description: text, state, draft: isDraft(title), ...times },
    source_branch: requiredText(line, 'source_branch'),
    target_branch: requiredText(line, 'target_branch'),
    discussion_locked: booleanOf(line, 'discussion_locked', null),
    squash: booleanOf(line, 'squash', false),
    force_remove_source_branch: params.force_remove_source_branch === true ? true : null,
    should_remove_source_branch: params.should_remove_source_branch === true ? true : null,
    prepared_at: timeOf(line, 'prepared_at') ?? times.created_at,
    ...endOf(into, line, state),
  }
}

/** The reviewers and approvals that a line embeds. @throws BadLine */
function reviewsOf(into: Importing, line: ImportedLine) {
  const reviewers = linesOf(line, 'merge_request_reviewers').flatMap((reviewer) => {
    const userId = userOf(into, reviewer, 'user_id')
    const state = wordOf(reviewer, 'state', reviewerStates, 'unreviewed')
    return userId === null ? [] : [{ userId, state, at: timeOf(reviewer, 'created_at') }]
  })
  const approvals = linesOf(line, 'approvals').flatMap((approval) => {
    const userId = userOf(into, approval, 'user_id')
    return userId === null ? [] : [{ userId, at: timeOf(approval, 'created_at') }]
  })
  return { reviewers, approvals }
}

type Reviews = ReturnType<typeof reviewsOf>

async function importReviews(tx: Tx, id: number, { reviewers, approvals }: Reviews, at: string): Promise<void> {
  const rows = reviewers.map((reviewer) => ({
    user_id: reviewer.userId,
    state: reviewer.state,
    created_at: reviewer.at ?? at,
  }))
  await insertReviewers(tx, id, rows)
  for (const approval of approvals) await insertApproval(tx, id, approval.userId, approval.at ?? at)
}

/**
 * Imports a merge request of a project with what its line embeds (contract 14, merge_requests). Its diff is read from the repository,
 * which is imported before.
 */
export const importMergeRequest: ImportLine = async (platform, into, line) => {
  if (into.kind !== 'project') throw new BadLine('merge requests are in projects')
  const row = readRequest(into, line)
  const commits = commitsOf(line)
  const reviews = reviewsOf(into, line)
  const { version, snapshot } = await versionOf(platform, into, commits)
  if (row.state === 'opened' && !version) throw new BadLine('the commits are not in the repository')
  return async (tx) => {
    await reserveInternalId(tx, { projectId: into.id }, numbered, row.iid)
    const { id } = await insertMergeRequest(tx, {
      ...row,
      sha: commits.head,
      source_exists: snapshot.branch(row.source_branch) !== null,
      target_sha: commits.target,
      milestone_id: await importedMilestone(tx, into, line),
    })
    if (version) await insertVersion(tx, into.id, versionColumns(id, version, row.created_at), version.commits)
    const target = { type: 'MergeRequest' as const, id, projectId: into.id, groupId: null }
    await importIssuableParts(tx, into, target, line, 'merge_request_assignees')
    await importReviews(tx, id, reviews, row.updated_at)
  }
}

const mostApprovals = 100

/** Imports a rule of approvals; groups that it names are left out (contract 14, approval_rules). */
export const importApprovalRule: ImportLine = async (_platform, into, line) => {
  const row = {
    ...{ project_id: into.id, name: requiredText(line, 'name') },
    rule_type: wordOf(line, 'rule_type', ['regular', 'any_approver'], 'regular'),
    report_type: wordOf(line, 'report_type', reportTypes, null),
    approvals_required: integerOf(line, 'approvals_required', { least: 0, most: mostApprovals }) ?? 0,
    applies_to_all_protected_branches: booleanOf(line, 'applies_to_all_protected_branches', false),
    created_at: timesOf(line).created_at,
  }
  const userIds = linesOf(line, 'users').flatMap((user) => userOf(into, user, 'user_id') ?? [])
  const branches = linesOf(line, 'protected_branches').map((branch) => requiredText(branch, 'name'))
  return async (tx) => {
    await insertRule(tx, row, { userIds: [...new Set(userIds)], groupIds: [], branches: [...new Set(branches)] })
  }
}
