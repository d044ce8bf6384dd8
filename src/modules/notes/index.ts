import type { Module } from '../../platform/index.ts'
import * as commitOperations from './commits/operations.ts'

export { awardableNote, awardEmoji, getAward, listAwards, removeAward } from './awards/award-emoji.ts'
export { AwardEmoji, type PresentedAward } from './awards/present.ts'
export { moveNotes } from './discussions/discussions.ts'
export { discussionOperations, type NoteableKind } from './discussions/operations.ts'
export { Discussion, Note, type PresentedDiscussion, type PresentedNote } from './discussions/present.ts'
export type { NoteAccess, Noteable, NoteableRef, NoteableType } from './noteable.ts'
export { deleteNoteable } from './store.ts'
export {
  isSubscribed,
  subscribe,
  subscribeParticipant,
  subscribersOf,
  unsubscribe,
} from './subscriptions/store.ts'
export type { NotePosition, TodoAction, TodoRow } from './tables.ts'
export {
  addTodo,
  listTodos,
  markAllTodosDone,
  markTodoDone,
  markTodosDone,
  type NewTodo,
  type TodoFilter,
} from './todos/store.ts'

export const notes: Module = { name: 'notes', operations: Object.values(commitOperations).flat() }
