import type { Noteable } from '../notes/index.ts'

/** The kinds of issuables, as the API names them (contract 18, `resource_type`). */
export type IssuableType = 'Issue' | 'MergeRequest' | 'Epic'

/** Refers to an issuable in the tables. An issue or a merge request is in a project, an epic in a group. */
export type IssuableRef = { type: IssuableType; id: number; projectId: number | null; groupId: number | null }

/** A commit whose message is read. */
export type ReadCommit = { type: 'Commit'; projectId: number; sha: string }

/** An issue, a merge request or an epic, as what they have in common sees it. */
export type Issuable = Noteable &
  IssuableRef & {
    iid: number
    authorId: number
    title: string
    description: string | null
    /** `opened`, `closed`; of merge requests also `merged`, `locked`. */
    state: string
    confidential: boolean
    discussionLocked: boolean
  }

/**
 * Who makes a change, and when. All records of one write have the same origin, and so the same `created_at`.
 * @see contract 18, "Shared head of every record"
 */
export type ChangeOrigin = { userId: number; at: string }

/** What a write has changed besides the columns of an issuable. */
export type PlannedChanges = {
  labels: { added: readonly { id: number }[]; removed: readonly { id: number }[] }
  /** Users. */
  assignees: { added: readonly number[]; removed: readonly number[] }
  /** Users; of merge requests. */
  reviewers: { added: readonly number[]; removed: readonly number[] }
}

/** Nothing has changed. */
export const unplanned: PlannedChanges = {
  labels: { added: [], removed: [] },
  assignees: { added: [], removed: [] },
  reviewers: { added: [], removed: [] },
}

/** Whether anything has changed. */
export function isPlanned(changes: PlannedChanges): boolean {
  return Object.values(changes).some(({ added, removed }) => added.length + removed.length > 0)
}

/** The columns of a table that refer to an issuable. */
export type IssuableColumns = {
  issuable_type: IssuableType
  issuable_id: number
  project_id: number | null
  group_id: number | null
}

/** The values of the columns that refer to an issuable. */
export function columnsOf({ type, id, projectId, groupId }: IssuableRef): IssuableColumns {
  return { issuable_type: type, issuable_id: id, project_id: projectId, group_id: groupId }
}
