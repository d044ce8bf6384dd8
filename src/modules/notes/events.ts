import type { PresentedSuggestion } from './discussions/present.ts'
import type { NoteableType } from './noteable.ts'

/** A note of a user, by its id, and its noteable. */
type WrittenNote = {
  noteId: number
  /** Null for an epic, and for a personal snippet. */
  projectId: number | null
  type: NoteableType
  /** Null for a commit. */
  noteableId: number | null
  userId: number
  at: string
  /** Whether it is one of several that are told of by one `review.published`. */
  isOfReview?: boolean
}

declare module '../../platform/platform.ts' {
  interface Questions {
    /** What notes on lines of merge requests suggest, by the ids of the notes. */
    'notes.suggestions'(noteIds: readonly number[]): Promise<ReadonlyMap<number, PresentedSuggestion[]>>
  }

  interface Events {
    /** A user has written a note. */
    'note.created': WrittenNote
    /** A user has changed the text of a note. */
    'note.changed': WrittenNote
    /** A user has published a review: these notes of theirs, each of which was told as `note.created`. */
    'review.published': {
      projectId: number | null
      type: NoteableType
      noteableId: number | null
      userId: number
      noteIds: readonly number[]
    }
    /** A user is about to delete a note. */
    'note.removing': { noteId: number }
    /** A user has awarded an emoji to a noteable or a note, or is about to take it back: its row is there. */
    'emoji.awarded': { awardId: number; projectId: number | null }
    'emoji.revoked': { awardId: number; projectId: number | null }
  }
}
