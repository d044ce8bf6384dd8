export { type CommitNoteNeeds, type CommitNotes, createCommitNotes } from './commit-notes.ts'
export { commitNoteOperations } from './operations.ts'
export {
  Discussion,
  Note,
  type PresentedDiscussion,
  type PresentedNote,
  presentDiscussion,
  presentNote,
} from './present.ts'
export { moveNotes } from './removal.ts'
export type { DiscussionRow, NotePosition, NoteRow } from './tables.ts'
