import './events.ts'
import type { Module } from '../../platform/index.ts'
import * as commitOperations from './commits/operations.ts'

export { awardableNote, awardEmoji, getAward, listAwards, removeAward } from './awards/award-emoji.ts'
export type { PresentedAward } from './awards/present.ts'
export { awardById } from './awards/store.ts'
export {
  anyPositionParam,
  type CodedPosition,
  type GivenAnyPosition,
  type GivenPosition,
  positionIn,
  positionParam,
  requireDiffPosition,
} from './commits/position.ts'
export {
  type ConversationKind,
  commentOperations,
  conversationOperations,
  reactionOperations,
} from './conversation/operations.ts'
export { copyNotes, noteTextsWith } from './copies/store.ts'
export { countsOf, type NoteableCounts, openThreadsOf } from './counts/store.ts'
export { requireComment } from './discussions/access.ts'
export { moveNotes } from './discussions/discussions.ts'
export type { CommandRequest } from './discussions/kind.ts'
export { createNote, listNotes, type RunCommands } from './discussions/notes.ts'
export {
  type PresentedDiscussion,
  type PresentedNote,
  type PresentedSuggestion,
  RangeEnd,
  Suggestion,
} from './discussions/present.ts'
export {
  deleteNotes,
  discussionsByIds,
  type LineOfNote,
  linesOfNotes,
  noteById,
  notesByIds,
} from './discussions/store.ts'
export { addSystemNote, addSystemNotes, type SystemNote } from './discussions/system-notes.ts'
export { limitNotes, longestNote } from './discussions/write.ts'
export { dividedByNotes, exportedCommitNotes, exportedNotesOf } from './export/lines.ts'
export { presentFoundNotes } from './found/found.ts'
export { notesWith, type SearchedNotes } from './found/store.ts'
export { importAwards, importCommitNote, importNotes } from './import/lines.ts'
export type { NoteAccess, Noteable, NoteableType } from './noteable.ts'
export { deleteNoteable, deleteNoteables, noteIdsOf } from './store.ts'
export {
  isSubscribed,
  refuseSubscription,
  subscribe,
  subscribeParticipant,
  subscribersOf,
  unsubscribe,
} from './subscriptions/store.ts'
export type { AwardEmojiRow, NotePosition, NoteRow, TodoAction, TodoRow } from './tables.ts'
export { addReviewNotes, holdThread, type ReviewNote, threadToAnswer } from './threads/review.ts'
export { resolveThreads, type Thread, threadIds, threadsByIds } from './threads/store.ts'
export {
  addTodo,
  countPendingTodos,
  listTodos,
  markAllTodosDone,
  markTodoDone,
  markTodosDone,
  type NewTodo,
  pendingTodo,
  type TodoFilter,
} from './todos/store.ts'

export const notes: Module = {
  name: 'notes',
  tags: { 'Commit discussions': 'Threads and notes on commits.' },
  operations: Object.values(commitOperations).flat(),
}
