import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openThreadsOf } from '../../notes/index.ts'
import { newestPipelines, type PipelineRow } from '../../pipelines/index.ts'
import { type ProjectRow, settingsOf } from '../../projects/index.ts'
import { missingApprovals } from '../approvals/progress.ts'
import { reviewersOf } from '../approvals/store.ts'
import { headOfRow } from '../pipelines/head.ts'
import type { MergeRequestRow } from '../tables.ts'
import { isChecked, isChecking } from './check.ts'

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** Those of these merge requests that have an external status check which has not passed at the head (contract 24). */
    'merge_requests.without_checks'(db: Reader, rows: readonly MergeRequestRow[]): Promise<ReadonlySet<number>>
    /** Those of these merge requests that wait for another one to be merged (contract 26.5). */
    'merge_requests.blocked'(db: Reader, ids: readonly number[]): Promise<ReadonlySet<number>>
  }
}

/** Why a merge request cannot be merged, or that it can (contract 19, `detailed_merge_status`). */
export const detailedStatuses = [
  'not_open',
  'unchecked',
  'checking',
  'merge_time',
  'draft_status',
  'commits_status',
  'discussions_not_resolved',
  'requested_changes',
  'not_approved',
  'merge_request_blocked',
  'ci_must_pass',
  'ci_still_running',
  'need_rebase',
  'conflict',
  'status_checks_must_pass',
  'mergeable',
] as const
export type DetailedStatus = (typeof detailedStatuses)[number]

/** What the status depends on besides the row. */
export type StatusFacts = {
  project: ProjectRow
  openThreads: number
  hasRequestedChanges: boolean
  approvalsMissing: boolean
  /** Whether it waits for another merge request. */
  isBlocked: boolean
  /** Whether the project asks for external status checks of which one has not passed. */
  checksMissing: boolean
  /** Newest pipeline of the head. */
  pipeline: PipelineRow | undefined
  isChecking: boolean
  now: string
}

/** Whether a pipeline may still succeed. */
export function isUnfinished({ finished_at, status }: Pick<PipelineRow, 'finished_at' | 'status'>): boolean {
  return finished_at === null && status !== 'manual'
}

/** What a project that requires a green pipeline has against a merge. */
function pipelineStatus({ project, pipeline }: StatusFacts): 'ci_must_pass' | 'ci_still_running' | null {
  const settings = settingsOf(project)
  if (!settings.only_allow_merge_if_pipeline_succeeds) return null
  if (!pipeline) return 'ci_must_pass'
  if (pipeline.status === 'success') return null
  if (pipeline.status === 'skipped') return settings.allow_merge_on_skipped_pipeline ? null : 'ci_must_pass'
  return isUnfinished(pipeline) ? 'ci_still_running' : 'ci_must_pass'
}

/** Whether the branches of a merge request have something to merge. */
function hasCommits(row: MergeRequestRow): boolean {
  return row.source_exists && row.target_sha !== null && row.is_ahead
}

/** The first status that applies, in the order of the contract's table. */
export function detailedStatus(row: MergeRequestRow, facts: StatusFacts): DetailedStatus {
  const settings = settingsOf(facts.project)
  if (row.state !== 'opened') return 'not_open'
  const isComparable = row.source_exists && row.target_sha !== null
  if (isComparable && !isChecked(row)) return facts.isChecking ? 'checking' : 'unchecked'
  if (row.merge_after !== null && row.merge_after > facts.now) return 'merge_time'
  if (row.draft) return 'draft_status'
  if (!hasCommits(row)) return 'commits_status'
  if (settings.only_allow_merge_if_all_discussions_are_resolved && facts.openThreads > 0) {
    return 'discussions_not_resolved'
  }
  if (facts.hasRequestedChanges) return 'requested_changes'
  if (facts.approvalsMissing) return 'not_approved'
  if (facts.isBlocked) return 'merge_request_blocked'
  const ci = pipelineStatus(facts)
  if (ci) return ci
  if (settings.merge_method !== 'merge' && row.is_behind) return 'need_rebase'
  if (row.has_conflicts) return 'conflict'
  return facts.checksMissing ? 'status_checks_must_pass' : 'mergeable'
}

/** The same without what git is asked for: whether there is something to merge, and whether it conflicts. */
export function statusBesidesGit(row: MergeRequestRow, facts: StatusFacts): DetailedStatus {
  const answered = { checked_sha: row.sha, checked_target_sha: row.target_sha, has_conflicts: false }
  return detailedStatus({ ...row, ...answered, is_ahead: true, is_behind: false }, facts)
}

/** Loads what the statuses of these merge requests depend on, in a fixed number of queries. */
export async function statusFacts(
  platform: Platform,
  projects: ReadonlyMap<number, ProjectRow>,
  rows: readonly MergeRequestRow[],
): Promise<(row: MergeRequestRow) => StatusFacts> {
  const db = platform.database.read
  const ids = rows.map(({ id }) => id)
  const checked = rows.filter(({ project_id, state }) => {
    const project = projects.get(project_id)
    return state === 'opened' && project && settingsOf(project).only_allow_merge_if_all_status_checks_passed
  })
  const open = rows.filter(({ state }) => state === 'opened').map(({ id }) => id)
  const [threads, reviewers, missing, blocked, unchecked, pipelines] = await Promise.all([
    openThreadsOf(db, 'MergeRequest', ids),
    reviewersOf(db, ids),
    missingApprovals(platform, rows),
    platform.ports['merge_requests.blocked'](platform, db, open),
    platform.ports['merge_requests.without_checks'](platform, db, checked),
    newestPipelines(db, rows.map(headOfRow)),
  ])
  const now = platform.clock.now().toISOString()
  return (row) => {
    const project = projects.get(row.project_id)
    if (!project) throw new Error(`the project of merge request ${row.id} is missing`)
    return {
      project,
      openThreads: threads.get(row.id) ?? 0,
      hasRequestedChanges: (reviewers.get(row.id) ?? []).some(({ state }) => state === 'requested_changes'),
      approvalsMissing: (missing.get(row.id) ?? 0) > 0,
      isBlocked: blocked.has(row.id),
      checksMissing: unchecked.has(row.id),
      pipeline: pipelines(headOfRow(row)),
      isChecking: isChecking(platform, row),
      now,
    }
  }
}
