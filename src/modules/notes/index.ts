import type { Module } from '../../platform/index.ts'
import * as commitOperations from './commits/operations.ts'

export { awardableNote, awardEmoji, getAward, listAwards, removeAward } from './awards/award-emoji.ts'
export { AwardEmoji, type PresentedAward } from './awards/present.ts'
export { discussionOperations, type NoteableKind } from './discussions/operations.ts'
export { Discussion, Note, type PresentedDiscussion, type PresentedNote } from './discussions/present.ts'
export type { NoteAccess, Noteable, NoteableRef, NoteableType } from './noteable.ts'
export { moveNotes } from './removal.ts'
export { deleteNoteable } from './store.ts'
export { isSubscribed, subscribeParticipant, subscribersOf } from './subscriptions/store.ts'
export { subscribe, unsubscribe } from './subscriptions/subscriptions.ts'
export type { NotePosition, TodoAction, TodoRow } from './tables.ts'
export type { NewTodo, TodoFilter } from './todos/store.ts'
export { addTodo, listTodos, markAllTodosDone, markTodoDone, markTodosDone } from './todos/todos.ts'

export const notes: Module = { name: 'notes', operations: Object.values(commitOperations).flat() }
