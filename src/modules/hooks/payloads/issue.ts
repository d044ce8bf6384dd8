import type { SavedChange } from '../../issuables/index.ts'
import type { IssueRow } from '../../issues/index.ts'
import { type Changes, changesBetween } from './changes.ts'
import { issuableParts, plannedChanges, stateIds } from './issuable.ts'
import {
  type Building,
  type NamedProject,
  oneUserPayload,
  projectPayload,
  repositoryPayload,
  utc,
  webUrl,
} from './parts.ts'

const typeNames = { issue: 'Issue', incident: 'Incident', test_case: 'Test Case', task: 'Task' } as const

/** The members of the row. */
function columnsOf(row: IssueRow) {
  return {
    author_id: row.author_id,
    closed_at: utc(row.closed_at),
    confidential: row.confidential,
    created_at: utc(row.created_at),
    description: row.description,
    discussion_locked: row.discussion_locked,
    due_date: row.due_date,
    duplicated_to_id: row.duplicated_to_id,
    health_status: row.health_status,
    id: row.id,
    iid: row.iid,
    milestone_id: row.milestone_id,
    moved_to_id: row.moved_to_id,
    project_id: row.project_id,
    relative_position: row.relative_position,
    state_id: stateIds[row.state],
    title: row.title,
    updated_at: utc(row.updated_at),
    weight: row.weight,
    severity: row.severity,
  }
}

/** An issue as other events show it: `object_attributes` without the action. */
export async function issueAttributes(building: Building, project: NamedProject, row: IssueRow) {
  const parts = await issuableParts(building, 'Issue', row.id)
  const { labels, assigneeIds, times } = parts
  const attributes = {
    ...columnsOf(row),
    last_edited_at: null,
    last_edited_by_id: null,
    updated_by_id: null,
    url: `${webUrl(building, project)}/-/issues/${row.iid}`,
    ...times,
    assignee_ids: assigneeIds,
    assignee_id: assigneeIds[0] ?? null,
    labels,
    state: row.state,
    type: typeNames[row.issue_type],
  }
  return { parts, attributes }
}

export type SavedIssue = SavedChange<IssueRow> & { row: IssueRow; userId: number }

/** The payload of a new or changed issue (contract 21 R7, `Issue Hook`). */
export async function issuePayload(building: Building, project: NamedProject, saved: SavedIssue) {
  const { row, action, former, planned, userId } = saved
  const { parts, attributes } = await issueAttributes(building, project, row)
  const changes: Changes = {
    ...changesBetween(action === 'open' ? null : columnsOf({ ...row, ...former }), columnsOf(row)),
    ...(await plannedChanges(building, parts, planned)),
  }
  const { assignees, labels } = parts
  return {
    object_kind: row.issue_type === 'issue' ? 'issue' : 'work_item',
    event_type: row.confidential ? 'confidential_issue' : 'issue',
    user: await oneUserPayload(building, userId),
    project: projectPayload(building, project),
    object_attributes: { ...attributes, action },
    labels,
    changes,
    repository: repositoryPayload(building, project),
    assignees,
    ...(assignees[0] ? { assignee: assignees[0] } : {}),
  }
}
