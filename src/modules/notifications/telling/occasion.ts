import type { NotificationEvent } from '../settings/levels.ts'

/** The kinds of objects whose mails form threads; users subscribe to the first ones. */
export type IssuableThread = 'Issue' | 'MergeRequest'
export type ThreadType = IssuableThread | 'Pipeline' | 'Release'

/** What happened to an issue or a merge request, in the words of its mail. */
export type Happening =
  | 'opened'
  | 'commented'
  | 'reviewed'
  | 'mentioned'
  | 'closed'
  | 'reopened'
  | 'reassigned'
  | 'reviewers changed'
  | 'pushed'
  | 'merged'
  | 'approved'
  | 'unapproved'
  | 'due'
  | 'failed'
  | 'fixed'
  | 'succeeded'
  | 'released'

/** Something of which users are notified. It has ids: what a mail shows is read when the mail is sent. */
export type Occasion = {
  happening: Happening
  /** The event of the level `custom`; null: only those who are mentioned are notified. */
  event: NotificationEvent | null
  type: ThreadType
  id: number
  /** Who did it; they are not notified. Null: no user. */
  actorId: number | null
  noteId?: number
  /** The comments of a review, of which `noteId` is the first. */
  reviewNoteIds?: number[]
  /** Users whom the text mentions. */
  mentioned: number[]
  /** Users who were assigned, asked for a review, or no longer are. */
  added: number[]
  removed: number[]
}
