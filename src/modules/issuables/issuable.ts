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
  /** Ids of labels. */
  labels: { added: readonly number[]; removed: readonly number[] }
  /** Ids of users. */
  assignees: { added: readonly number[]; removed: readonly number[] }
  /** Ids of users; of merge requests. */
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

/** What a write did with an issue or a merge request, as far as its row does not say it. */
export type SavedChange<Row> = {
  action: 'open' | 'update' | 'close' | 'reopen'
  /** The values before the change, of the columns that it changed; empty of a new one. */
  former: Partial<Row>
  planned: PlannedChanges
}

/** Compares a row with the one before a change. @param before null: it is new */
export function savedChange<Row extends { state: string }>(
  before: Row | null,
  after: Row,
  planned: PlannedChanges,
): SavedChange<Row> {
  if (before === null) return { action: 'open', former: {}, planned }
  const changed = (Object.keys(before) as (keyof Row)[]).filter((name) => before[name] !== after[name])
  const former = Object.fromEntries(changed.map((name) => [name, before[name]])) as Partial<Row>
  if (before.state === after.state) return { action: 'update', former, planned }
  return { action: after.state === 'closed' ? 'close' : 'reopen', former, planned }
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
