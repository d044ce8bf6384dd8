import { type Insertable, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { type Reader, type Tx, within } from '../../infra/database/index.ts'
import type { DiscussionRow, DiscussionsTable, NotePosition, NoteRow, NotesTable } from './tables.ts'

/** A commit of a project, as what is talked about. */
export type CommitPlace = { projectId: number; commitId: string }

/** A note with the place in the diff that its discussion has. */
export type PlacedNoteRow = NoteRow & { position: NotePosition | null }

/** A page of all notes about a commit, oldest first. */
export async function pageOfCommitNotes(
  db: Reader,
  { projectId, commitId }: CommitPlace,
  page: PageRequest,
): Promise<Page<PlacedNoteRow>> {
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

function commitDiscussions(db: Reader, { projectId, commitId }: CommitPlace) {
  return db
    .selectFrom('discussions')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('commit_id', '=', commitId)
    .where('noteable_type', '=', 'Commit')
}

/** A page of the discussions about a commit, oldest first. */
export async function pageOfCommitDiscussions(
  db: Reader,
  place: CommitPlace,
  page: PageRequest,
): Promise<Page<DiscussionRow>> {
  return pageOfRows(db, commitDiscussions(db, place).orderBy('created_at').orderBy('id'), page)
}

/** A discussion about a commit. */
export async function commitDiscussion(
  db: Reader,
  place: CommitPlace,
  publicId: string,
): Promise<DiscussionRow | null> {
  return (await commitDiscussions(db, place).where('public_id', '=', publicId).executeTakeFirst()) ?? null
}

/** As `commitDiscussion`, under the lock of the transaction: nobody answers in it, and nobody removes it, meanwhile. */
export async function holdCommitDiscussion(
  tx: Tx,
  place: CommitPlace,
  publicId: string,
): Promise<DiscussionRow | null> {
  const query = commitDiscussions(tx, place).where('public_id', '=', publicId)
  return (await (tx.engine === 'postgres' ? query.forUpdate() : query).executeTakeFirst()) ?? null
}

/** The notes of these discussions, oldest first: one query for all. */
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

export async function noteOfDiscussion(db: Reader, discussionId: number, noteId: number): Promise<NoteRow | null> {
  const query = db.selectFrom('notes').selectAll().where('id', '=', noteId).where('discussion_id', '=', discussionId)
  return (await query.executeTakeFirst()) ?? null
}

export async function insertDiscussion(tx: Tx, discussion: Insertable<DiscussionsTable>): Promise<DiscussionRow> {
  return tx.insertInto('discussions').values(discussion).returningAll().executeTakeFirstOrThrow()
}

export async function insertNote(tx: Tx, note: Insertable<NotesTable>): Promise<NoteRow> {
  return tx.insertInto('notes').values(note).returningAll().executeTakeFirstOrThrow()
}

/** Makes a thread of what was a single note. */
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

/** Deletes a note, and its discussion when nothing is left in it. The discussion's lock must be held. */
export async function deleteNote(tx: Tx, { id, discussion_id }: Pick<NoteRow, 'id' | 'discussion_id'>): Promise<void> {
  await tx.deleteFrom('notes').where('id', '=', id).execute()
  await deleteEmpty(tx, [discussion_id])
}

/** Deletes those of these discussions that have no notes. */
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

/** Gives the notes of one author to another. */
export async function giveNotesTo(tx: Tx, from: number, to: number): Promise<void> {
  await tx.updateTable('notes').set({ author_id: to }).where('author_id', '=', from).execute()
}

/** Deletes all notes of an author, and the discussions in which nothing is left. */
export async function deleteNotesOf(tx: Tx, authorId: number): Promise<void> {
  const own = tx.selectFrom('notes').select('discussion_id').where('author_id', '=', authorId)
  const held = tx.selectFrom('discussions').select('id').where('id', 'in', own).orderBy('id')
  const rows = await (tx.engine === 'postgres' ? held.forUpdate() : held).execute()
  await tx.deleteFrom('notes').where('author_id', '=', authorId).execute()
  await deleteEmpty(
    tx,
    rows.map(({ id }) => id),
  )
}
