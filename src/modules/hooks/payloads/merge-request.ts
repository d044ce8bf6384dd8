import { type SavedChange, unplanned } from '../../issuables/index.ts'
import { type MergeRequestRow, reviewersOf } from '../../merge-requests/index.ts'
import { openThreadsOf } from '../../notes/index.ts'
import type { Completion } from '../tables.ts'
import { changesBetween } from './changes.ts'
import { issuableParts, plannedChanges, stateIds } from './issuable.ts'
import {
  type Building,
  type NamedProject,
  oneUserPayload,
  projectPayload,
  repositoryPayload,
  userPayloads,
  utc,
  webUrl,
} from './parts.ts'

const isChecked = (row: MergeRequestRow) =>
  row.checked_sha !== null && row.checked_sha === row.sha && row.checked_target_sha === row.target_sha

function mergeStatus(row: MergeRequestRow): string {
  if (!isChecked(row)) return 'unchecked'
  return row.has_conflicts ? 'cannot_be_merged' : 'can_be_merged'
}

/** What hinders a merge, as far as the row says it. */
function detailedStatus(row: MergeRequestRow): string {
  if (row.state !== 'opened') return 'not_open'
  if (row.draft) return 'draft_status'
  if (!isChecked(row)) return 'unchecked'
  return row.has_conflicts ? 'conflict' : 'mergeable'
}

/** A merge request as pipelines show it. */
export function mergeRequestSummary(building: Building, project: NamedProject, row: MergeRequestRow) {
  const { id, iid, title, source_branch, target_branch, state, project_id } = row
  return {
    ...{ id, iid, title, source_branch, source_project_id: project_id, target_branch, target_project_id: project_id },
    ...{ state, merge_status: mergeStatus(row), detailed_merge_status: detailedStatus(row) },
    url: `${webUrl(building, project)}/-/merge_requests/${iid}`,
  }
}

/** The members of the row. */
function columnsOf(row: MergeRequestRow) {
  return {
    author_id: row.author_id,
    created_at: utc(row.created_at),
    description: row.description,
    draft: row.draft,
    id: row.id,
    iid: row.iid,
    merge_commit_sha: row.merge_commit_sha,
    merge_error: row.merge_error,
    merge_user_id: row.merge_user_id,
    merge_when_pipeline_succeeds: row.auto_merge !== null,
    milestone_id: row.milestone_id,
    source_branch: row.source_branch,
    source_project_id: row.project_id,
    state_id: stateIds[row.state],
    target_branch: row.target_branch,
    target_project_id: row.project_id,
    title: row.title,
    updated_at: utc(row.updated_at),
    prepared_at: utc(row.prepared_at),
  }
}

/** A merge request as other events show it, without its last commit, which the completion of `path` adds. */
export async function mergeRequestAttributes(building: Building, project: NamedProject, row: MergeRequestRow) {
  const parts = await issuableParts(building, 'MergeRequest', row.id)
  const reviewerIds = ((await reviewersOf(building.db, [row.id])).get(row.id) ?? []).map(({ user_id }) => user_id)
  const { labels, assigneeIds, times } = parts
  const shown = projectPayload(building, project)
  const attributes = {
    ...columnsOf(row),
    head_pipeline_id: null,
    last_edited_at: null,
    last_edited_by_id: null,
    updated_by_id: null,
    merge_params: { force_remove_source_branch: row.force_remove_source_branch ? '1' : '0' },
    merge_status: mergeStatus(row),
    detailed_merge_status: detailedStatus(row),
    blocking_discussions_resolved:
      ((await openThreadsOf(building.db, 'MergeRequest', [row.id])).get(row.id) ?? 0) === 0,
    first_contribution: false,
    ...times,
    assignee_ids: assigneeIds,
    assignee_id: assigneeIds[0] ?? null,
    reviewer_ids: reviewerIds,
    labels,
    source: shown,
    target: shown,
    state: row.state,
    url: `${webUrl(building, project)}/-/merge_requests/${row.iid}`,
    work_in_progress: row.draft,
    last_commit: null,
  }
  return { parts, reviewerIds, attributes }
}

/** The last commit of a merge request, at a place in a payload. */
export function lastCommitAt(path: string[], row: MergeRequestRow): Completion {
  return { path, projectId: row.project_id, sha: row.sha, form: 'commit' }
}

export type SavedMergeRequest = {
  row: MergeRequestRow
  action: SavedChange<MergeRequestRow>['action'] | 'merge' | 'approved' | 'unapproved'
  userId: number | null
  former?: Partial<MergeRequestRow>
  planned?: SavedChange<MergeRequestRow>['planned']
  /** The head before a push. */
  oldrev?: string
}

/** The payload of a new or changed merge request (contract 21 R7, `Merge Request Hook`). */
export async function mergeRequestPayload(building: Building, project: NamedProject, saved: SavedMergeRequest) {
  const { row, action, userId, former, planned = unplanned, oldrev } = saved
  const { parts, reviewerIds, attributes } = await mergeRequestAttributes(building, project, row)
  const reviewers = await userPayloads(building, reviewerIds)
  const before = former && columnsOf({ ...row, ...former })
  const columns = action === 'open' || before ? changesBetween(before ?? null, columnsOf(row)) : {}
  const { labels, assignees } = parts
  return {
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: await oneUserPayload(building, userId),
    project: projectPayload(building, project),
    object_attributes: { ...attributes, action, ...(oldrev === undefined ? {} : { oldrev }) },
    labels,
    changes: { ...columns, ...(await plannedChanges(building, parts, planned, reviewerIds)) },
    repository: repositoryPayload(building, project),
    assignees,
    reviewers: reviewerIds.flatMap((id) => reviewers.get(id) ?? []),
  }
}
