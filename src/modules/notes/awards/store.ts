import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { columnsOf, type NoteableRef } from '../noteable.ts'
import { refersTo } from '../store.ts'
import { type AwardEmojiRow, awardEmoji } from '../tables.ts'

export const { remove: deleteAward, byId: awardById } = rows(awardEmoji)

function awardsOf(db: Reader, target: NoteableRef) {
  return db.selectFrom('award_emoji').selectAll().where(refersTo(target))
}

/** A page of the award emoji of a noteable or a note, oldest first. */
export async function pageOfAwards(db: Reader, target: NoteableRef, page: PageRequest): Promise<Page<AwardEmojiRow>> {
  return pageOfRows(db, awardsOf(db, target).orderBy('id'), page)
}

/** Whose notes a caller may read: all of them, or besides the open ones only those of a user. */
export type ReadableNotes = 'all' | { authorId: number | null }

/** A page of the award emoji of the comments of a noteable, oldest first. */
export async function pageOfNoteAwards(
  db: Reader,
  noteable: NoteableRef,
  readable: ReadableNotes,
  page: PageRequest,
): Promise<Page<AwardEmojiRow>> {
  const comments = db.selectFrom('notes').select('id').where(refersTo(noteable)).where('system', '=', false)
  const read =
    readable === 'all'
      ? comments
      : comments.where((eb) => eb.or([eb('internal', '=', false), eb('author_id', '=', readable.authorId ?? 0)]))
  const awards = db.selectFrom('award_emoji').selectAll().where('noteable_type', '=', 'Note')
  return pageOfRows(db, awards.where('noteable_id', 'in', read).orderBy('id'), page)
}

export async function awardOf(db: Reader, target: NoteableRef, id: number): Promise<AwardEmojiRow | null> {
  return (await awardsOf(db, target).where('id', '=', id).executeTakeFirst()) ?? null
}

/** @throws UniqueViolation when the user has awarded this emoji already */
export async function insertAward(tx: Tx, target: NoteableRef, award: { userId: number; name: string; at: string }) {
  const { userId, name, at } = award
  return tx
    .insertInto('award_emoji')
    .values({ ...columnsOf(target), user_id: userId, name, created_at: at, updated_at: at })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Stores award emoji; those that are there already are left out. */
export async function insertAwards(
  tx: Tx,
  target: NoteableRef,
  awards: readonly { userId: number; name: string; at: string }[],
): Promise<void> {
  if (awards.length === 0) return
  const columns = columnsOf(target)
  const rows = awards.map(({ userId, name, at }) => ({
    ...columns,
    user_id: userId,
    name,
    created_at: at,
    updated_at: at,
  }))
  await tx
    .insertInto('award_emoji')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
