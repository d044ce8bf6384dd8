import type { Actor } from '../../api/index.ts'

/** The kinds of noteables, as the API names them. */
export type NoteableType = 'Commit' | 'Issue' | 'MergeRequest' | 'Epic' | 'Snippet'

/** Refers to a noteable, or to a note, in the tables: a commit by its SHA, any other by the id of its row. */
export type NoteableRef = {
  type: NoteableType | 'Note'
  projectId: number | null
  /** Of an epic. */
  groupId?: number | null
  id: number | null
  commitId: string | null
}

/** A resource that can be discussed, reacted to, subscribed to and put on to-do lists. */
export type Noteable = NoteableRef & {
  type: NoteableType
  /** Its number in its project or group; null for a commit. */
  iid: number | null
}

/** A noteable with what the caller may do with its notes. */
export type NoteAccess = {
  noteable: Noteable
  actor: Actor
  /** Whether the caller may change and delete the notes of others. */
  mayModerate: boolean
  /** Whether the caller may set `created_at`. */
  mayBackdate: boolean
  /** Whether the caller may read and write internal notes; they always may read their own. */
  mayReadInternal?: boolean
  /** Whether the caller may write notes at all; false while the discussion is locked. Default true. */
  mayComment?: boolean
  /** Of noteables with threads that can be resolved: whether the caller may. */
  mayResolve?: boolean
  /** The ids of those of these system notes that are about something that the caller may not read. */
  unreadableAmong?(noteIds: readonly number[]): Promise<ReadonlySet<number>>
}

/** The values of the columns that refer to a noteable. */
export function columnsOf<Type extends string>(ref: NoteableRef & { type: Type }) {
  const { type, projectId, groupId = null, id, commitId } = ref
  return { project_id: projectId, group_id: groupId, noteable_type: type, noteable_id: id, commit_id: commitId }
}

/** The columns by which rows of one noteable are unique, for `on conflict`. */
export function keyOf({ commitId }: NoteableRef) {
  return commitId === null ? (['noteable_type', 'noteable_id'] as const) : (['project_id', 'commit_id'] as const)
}
