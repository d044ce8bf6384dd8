import type { NoteableType } from './noteable.ts'

/** A note of a user, by its id, and its noteable. */
type WrittenNote = {
  noteId: number
  type: NoteableType
  /** Null for a commit. */
  noteableId: number | null
  userId: number
  at: string
}

declare module '../../platform/platform.ts' {
  interface Events {
    /** A user has written a note. */
    'note.created': WrittenNote
    /** A user has changed the text of a note. */
    'note.changed': WrittenNote
  }
}
