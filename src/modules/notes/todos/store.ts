import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows, recordNotFound } from '../../../api/index.ts'
import { countRows, now, type Reader, type Tx, unindexed } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { subtreeOf } from '../../namespaces/index.ts'
import { columnsOf, keyOf, type Noteable, type NoteableType } from '../noteable.ts'
import { refersTo } from '../store.ts'
import type { TodoAction, TodoRow } from '../tables.ts'

/** A to-do to be stored. */
export type NewTodo = { userId: number; authorId: number; action: TodoAction; noteId?: number }

/** Filters of a user's to-dos (contract 16, x.todo_list). */
export type TodoFilter = {
  state?: 'pending' | 'done'
  action?: TodoAction
  author_id?: number
  project_id?: number
  /** The group with all of its subgroups. */
  group_id?: number
  type?: NoteableType
}

/** Adds a to-do (contract 16, x.issue_todo). @returns null when the user has a pending to-do for the noteable */
export async function addTodo(
  { clock }: Platform,
  tx: Tx,
  noteable: Noteable,
  { userId, authorId, action, noteId }: NewTodo,
): Promise<TodoRow | null> {
  const at = now(clock)
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

/** To-dos for what is in a group or below it. */
function inGroup(groupId: number) {
  const groups = subtreeOf(groupId)
  return sql<boolean>`(group_id in ${groups}
    or project_id in (select id from projects where namespace_id in ${groups}))`
}

/** The pending to-do of a user for a noteable. */
export async function pendingTodo(db: Reader, noteable: Noteable, userId: number): Promise<TodoRow | null> {
  const query = db.selectFrom('todos').selectAll().where(refersTo(noteable)).where('user_id', '=', userId)
  return (await query.where('state', '=', sql.lit('pending')).executeTakeFirst()) ?? null
}

/** A page of a user's to-dos, newest first (contract 16, x.todo_list). */
export async function listTodos(
  { database: { read: db } }: Platform,
  userId: number,
  { state = 'pending', action, author_id, project_id, group_id, type }: TodoFilter,
  page: PageRequest,
): Promise<Page<TodoRow>> {
  let query = db.selectFrom('todos').selectAll().where('user_id', '=', userId).where('state', '=', state)
  if (action !== undefined) query = query.where('action', '=', action)
  if (author_id !== undefined) query = query.where(sql<boolean>`${unindexed(db, 'author_id')} = ${author_id}`)
  if (project_id !== undefined) query = query.where('project_id', '=', project_id)
  if (group_id !== undefined) query = query.where(inGroup(group_id))
  if (type) query = query.where('noteable_type', '=', type)
  return pageOfRows(db, query.orderBy('id', 'desc'), page)
}

function finish({ clock }: Platform, tx: Tx, userId: number) {
  return tx
    .updateTable('todos')
    .set({ state: 'done', updated_at: now(clock) })
    .where('user_id', '=', userId)
    .where('state', '=', 'pending')
}

/** Marks the to-do of a user for a noteable as done, for example when they close it (contract 16, "States"). */
export async function markTodosDone(platform: Platform, tx: Tx, noteable: Noteable, userId: number): Promise<void> {
  await finish(platform, tx, userId).where(refersTo(noteable)).execute()
}

/** Marks a to-do as done (contract 16, x.todo_done). @throws ApiError 404 for one of another user */
export async function markTodoDone(platform: Platform, userId: number, id: number): Promise<TodoRow> {
  const row = await platform.database.write(async (tx) => {
    await finish(platform, tx, userId).where('id', '=', id).execute()
    return tx.selectFrom('todos').selectAll().where('id', '=', id).where('user_id', '=', userId).executeTakeFirst()
  })
  if (!row) throw recordNotFound()
  return row
}

/** Marks all to-dos of a user as done (contract 16, x.todo_done_all). */
export async function markAllTodosDone(platform: Platform, userId: number): Promise<void> {
  await platform.database.write((tx) => finish(platform, tx, userId).execute())
}

/** How many to-dos of a user are pending (contract 20, x.user_counts). */
export async function countPendingTodos(db: Reader, userId: number): Promise<number> {
  return countRows(db.selectFrom('todos').where('user_id', '=', userId).where('state', '=', 'pending'))
}
