import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import { columnsOf, keyOf, type Noteable, type NoteableType, refersTo } from '../noteable.ts'
import type { TodoAction, TodoRow } from '../tables.ts'

/** A to-do to be stored. */
export type NewTodo = { userId: number; authorId: number; action: TodoAction; noteId?: number }

/** Filters of a user's to-dos (contract 16, x.todo_list). */
export type TodoFilter = {
  state?: 'pending' | 'done'
  action?: TodoAction
  author_id?: number
  project_id?: number
  type?: NoteableType
}

/** @returns null when the user has a pending to-do for the noteable */
export async function insertTodo(
  tx: Tx,
  noteable: Noteable,
  { userId, authorId, action, noteId }: NewTodo,
  at: string,
): Promise<TodoRow | null> {
  const isCommit = noteable.commitId !== null
  const row = await tx
    .insertInto('todos')
    .values({
      ...columnsOf(noteable),
      ...{ user_id: userId, author_id: authorId, action, note_id: noteId ?? null, state: 'pending' },
      ...{ created_at: at, updated_at: at },
    })
    .onConflict((conflict) =>
      conflict
        .columns([...keyOf(noteable), 'user_id'])
        .where(isCommit ? 'commit_id' : 'noteable_id', 'is not', null)
        .where('state', '=', sql.lit('pending'))
        .doNothing(),
    )
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

/** A page of a user's to-dos, newest first. */
export async function pageOfTodos(
  db: Reader,
  userId: number,
  { state = 'pending', action, author_id, project_id, type }: TodoFilter,
  page: PageRequest,
): Promise<Page<TodoRow>> {
  let query = db.selectFrom('todos').selectAll().where('user_id', '=', userId).where('state', '=', state)
  if (action !== undefined) query = query.where('action', '=', action)
  if (author_id !== undefined) query = query.where('author_id', '=', author_id)
  if (project_id !== undefined) query = query.where('project_id', '=', project_id)
  if (type !== undefined) query = query.where('noteable_type', '=', type)
  return pageOfRows(db, query.orderBy('id', 'desc'), page)
}

function pendingOf(tx: Tx, userId: number, at: string) {
  return tx
    .updateTable('todos')
    .set({ state: 'done', updated_at: at })
    .where('user_id', '=', userId)
    .where('state', '=', 'pending')
}

/** Marks the pending to-do of a user for a noteable as done. */
export async function finishTodosFor(tx: Tx, noteable: Noteable, userId: number, at: string): Promise<void> {
  await pendingOf(tx, userId, at)
    .where((where) => where.and(refersTo(noteable)))
    .execute()
}

/** Marks all pending to-dos of a user as done. */
export async function finishAllTodos(tx: Tx, userId: number, at: string): Promise<void> {
  await pendingOf(tx, userId, at).execute()
}

/** Marks a to-do as done. @returns null when the user has no such to-do */
export async function finishTodo(tx: Tx, userId: number, id: number, at: string): Promise<TodoRow | null> {
  await pendingOf(tx, userId, at).where('id', '=', id).execute()
  const query = tx.selectFrom('todos').selectAll().where('id', '=', id).where('user_id', '=', userId)
  return (await query.executeTakeFirst()) ?? null
}
