import { type Insertable, sql } from 'kysely'
import { type PageRequest, pageOfRows } from '../../../api/index.ts'
import { locked, type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import type { Noteable, NoteableRef } from '../noteable.ts'
import { refersTo } from '../store.ts'
import {
  type DiscussionRow,
  type DiscussionsTable,
  discussions,
  type NotePosition,
  type NoteRow,
  type NotesTable,
  notes,
} from '../tables.ts'
import type { NoteList } from './params.ts'

export const { insert: insertDiscussion } = rows(discussions)

export const { insert: insertNote, byId: noteById, byIds: notesByIds } = rows(notes)

/** A note with its discussion's line of a diff. */
export type NoteWithPosition = NoteRow & { position: NotePosition | null }

/** A page of all notes of a commit, oldest first. */
export async function pageOfCommitNotes(db: Reader, { projectId, commitId }: NoteableRef, page: PageRequest) {
  const query = db
    .selectFrom('notes')
    .innerJoin('discussions', 'discussions.id', 'notes.discussion_id')
    .selectAll('notes')
    .select('discussions.position')
    .where('notes.project_id', '=', projectId)
    .where('notes.commit_id', '=', commitId)
    .where('notes.noteable_type', '=', 'Commit')
    .orderBy('notes.created_at')
    .orderBy('notes.id')
  return pageOfRows(db, query, page)
}

function discussionsOf(db: Reader, noteable: Noteable) {
  return db.selectFrom('discussions').selectAll().where(refersTo(noteable))
}

/** A page of the discussions of a noteable, oldest first. */
export async function pageOfDiscussions(db: Reader, noteable: Noteable, page: PageRequest) {
  return pageOfRows(db, discussionsOf(db, noteable).orderBy('created_at').orderBy('id'), page)
}

/** A discussion of a noteable. */
export async function discussionOf(db: Reader, noteable: Noteable, publicId: string): Promise<DiscussionRow | null> {
  return (await discussionsOf(db, noteable).where('public_id', '=', publicId).executeTakeFirst()) ?? null
}

/** As `discussionOf`, with a lock on the row until the transaction ends. */
export async function lockDiscussion(tx: Tx, noteable: Noteable, publicId: string): Promise<DiscussionRow | null> {
  const query = discussionsOf(tx, noteable).where('public_id', '=', publicId)
  return (await locked(tx, query).executeTakeFirst()) ?? null
}

/** A page of the notes of a noteable (contract 16, x.issue_note_list). */
export async function pageOfNotes(db: Reader, noteable: Noteable, list: NoteList, page: PageRequest) {
  const { order_by: order = 'created_at', sort = 'desc', activity_filter: filter = 'all_notes' } = list
  const all = db.selectFrom('notes').selectAll().where(refersTo(noteable))
  const query = filter === 'all_notes' ? all : all.where('system', '=', filter === 'only_activity')
  return pageOfRows(db, query.orderBy(order, sort).orderBy('id', sort), page)
}

export async function discussionsByIds(db: Reader, ids: readonly number[]): Promise<DiscussionRow[]> {
  if (ids.length === 0) return []
  const query = db.selectFrom('discussions').selectAll()
  return query.where(within(db, 'discussions.id', ids)).execute()
}

/** The notes of these discussions, oldest first, in one query. */
export async function notesOfDiscussions(db: Reader, discussionIds: readonly number[]): Promise<NoteRow[]> {
  if (discussionIds.length === 0) return []
  return db
    .selectFrom('notes')
    .selectAll()
    .where(within(db, 'discussion_id', discussionIds))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function noteOf(db: Reader, noteable: Noteable, noteId: number): Promise<NoteRow | null> {
  const query = db.selectFrom('notes').selectAll().where('id', '=', noteId).where(refersTo(noteable))
  return (await query.executeTakeFirst()) ?? null
}

/** A note on a line of a diff. */
export type LineOfNote = Pick<NoteRow, 'id' | 'discussion_id' | 'author_id' | 'noteable_id'> & {
  position: NotePosition
}

/** Those of these notes that are on lines of merge requests. */
export async function linesOfNotes(db: Reader, ids: readonly number[]): Promise<LineOfNote[]> {
  if (ids.length === 0) return []
  const found = await db
    .selectFrom('notes')
    .innerJoin('discussions', 'discussions.id', 'notes.discussion_id')
    .select(['notes.id', 'notes.discussion_id', 'notes.author_id', 'notes.noteable_id', 'discussions.position'])
    .where(within(db, 'notes.id', ids))
    .where('notes.noteable_type', '=', 'MergeRequest')
    .execute()
  return found.flatMap(({ position, ...note }) => (position ? [{ ...note, position }] : []))
}

/** Stores discussions. @returns their ids, in order */
export async function insertDiscussions(tx: Tx, rows: readonly Insertable<DiscussionsTable>[]): Promise<number[]> {
  const made = await tx.insertInto('discussions').values(rows).returning('id').execute()
  return made.map(({ id }) => id).sort((left, right) => left - right)
}

/** Stores notes. @returns their ids, in order */
export async function insertNotes(tx: Tx, rows: readonly Insertable<NotesTable>[]): Promise<number[]> {
  const made = await tx.insertInto('notes').values(rows).returning('id').execute()
  return made.map(({ id }) => id).sort((left, right) => left - right)
}

export async function setResolved(
  tx: Tx,
  discussionId: number,
  resolution: Pick<DiscussionRow, 'resolved_at' | 'resolved_by_id'>,
): Promise<void> {
  await tx.updateTable('discussions').set(resolution).where('id', '=', discussionId).execute()
}

/** Deletes notes, and the discussions without other notes. */
export async function deleteNotes(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const rows = await tx
    .deleteFrom('notes')
    .where(within(tx, 'notes.id', ids))
    .returning('discussion_id')
    .execute()
  await deleteEmpty(
    tx,
    rows.map(({ discussion_id }) => discussion_id),
  )
}

/** Turns a single comment into a thread. */
export async function makeThread(tx: Tx, discussionId: number): Promise<DiscussionRow> {
  return tx
    .updateTable('discussions')
    .set({ individual_note: false })
    .where('id', '=', discussionId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function updateNote(tx: Tx, id: number, changes: { body: string; updated_at: string }): Promise<NoteRow> {
  return tx.updateTable('notes').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Deletes a note, and its discussion when it was the last note. The caller holds the discussion's lock. */
export async function deleteNote(tx: Tx, { id, discussion_id }: Pick<NoteRow, 'id' | 'discussion_id'>): Promise<void> {
  await tx.deleteFrom('award_emoji').where('noteable_type', '=', 'Note').where('noteable_id', '=', id).execute()
  await tx.deleteFrom('notes').where('id', '=', id).execute()
  await deleteEmpty(tx, [discussion_id])
}

/** Deletes the discussions without notes. */
async function deleteEmpty(tx: Tx, discussionIds: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('discussions')
    .where(within(tx, 'discussions.id', discussionIds))
    .where(sql<boolean>`not exists (select 1 from notes n where n.discussion_id = discussions.id)`)
    .execute()
}

export async function hasNotes(db: Reader, authorId: number): Promise<boolean> {
  const query = db.selectFrom('notes').select('id').where('author_id', '=', authorId).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

/** Makes one user the author of another's notes. */
export async function giveNotesTo(tx: Tx, from: number, to: number): Promise<void> {
  await tx.updateTable('notes').set({ author_id: to }).where('author_id', '=', from).execute()
}

/** Deletes all notes of an author, and the discussions without other notes. */
export async function deleteNotesOf(tx: Tx, authorId: number): Promise<void> {
  const own = tx.selectFrom('notes').select('discussion_id').where('author_id', '=', authorId)
  const held = tx.selectFrom('discussions').select('id').where('id', 'in', own).orderBy('id')
  const rows = await locked(tx, held).execute()
  const notes = tx.selectFrom('notes').select('id').where('author_id', '=', authorId)
  await tx.deleteFrom('award_emoji').where('noteable_type', '=', 'Note').where('noteable_id', 'in', notes).execute()
  await tx.deleteFrom('notes').where('author_id', '=', authorId).execute()
  const ids = rows.map(({ id }) => id)
  await deleteEmpty(tx, ids)
}
