import { notFound, type Page, type PageRequest } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Noteable } from '../noteable.ts'
import type { TodoRow } from '../tables.ts'
import {
  finishAllTodos,
  finishTodo,
  finishTodosFor,
  insertTodo,
  type NewTodo,
  pageOfTodos,
  type TodoFilter,
} from './store.ts'

/** Adds a to-do (contract 16, x.issue_todo). @returns null when the user has a pending to-do for the noteable */
export function addTodo({ clock }: Platform, tx: Tx, noteable: Noteable, todo: NewTodo): Promise<TodoRow | null> {
  return insertTodo(tx, noteable, todo, now(clock))
}

/** Marks the to-do of a user for a noteable as done, for example when they close it (contract 16, "States"). */
export async function markTodosDone({ clock }: Platform, tx: Tx, noteable: Noteable, userId: number): Promise<void> {
  await finishTodosFor(tx, noteable, userId, now(clock))
}

/** A page of a user's to-dos, newest first (contract 16, x.todo_list). */
export function listTodos(
  { database }: Platform,
  userId: number,
  filter: TodoFilter,
  page: PageRequest,
): Promise<Page<TodoRow>> {
  return pageOfTodos(database.read, userId, filter, page)
}

/** Marks a to-do as done (contract 16, x.todo_done). @throws ApiError 404 for one of another user */
export async function markTodoDone({ database, clock }: Platform, userId: number, id: number): Promise<TodoRow> {
  const row = await database.write((tx) => finishTodo(tx, userId, id, now(clock)))
  if (!row) throw notFound()
  return row
}

/** Marks all to-dos of a user as done (contract 16, x.todo_done_all). */
export async function markAllTodosDone({ database, clock }: Platform, userId: number): Promise<void> {
  await database.write((tx) => finishAllTodos(tx, userId, now(clock)))
}
