import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { AlertNoteRow } from '../tables.ts'

export type NewNote = { alertId: number; authorId: number; body: string }

/** Inserts notes in their order; some hundreds at most. */
export async function insertNotes(tx: Tx, notes: readonly NewNote[], moment: string): Promise<void> {
  if (notes.length === 0) return
  const rows = notes.map(({ alertId, authorId, body }) => ({
    ...{ alert_id: alertId, author_id: authorId, body },
    ...{ created_at: moment, updated_at: moment },
  }))
  await tx.insertInto('alert_notes').values(rows).execute()
}

/** A page of the notes of an alert, the oldest first. */
export async function pageOfNotes(db: Reader, alertId: number, page: PageRequest): Promise<Page<AlertNoteRow>> {
  const query = db.selectFrom('alert_notes').selectAll().where('alert_id', '=', alertId)
  return pageOfRows(db, query.orderBy('created_at').orderBy('id'), page)
}

export async function hasNotes(db: Reader, authorId: number): Promise<boolean> {
  const query = db.selectFrom('alert_notes').select('id').where('author_id', '=', authorId).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

/** Makes another user the author of all notes of an author. */
export async function giveNotesTo(tx: Tx, authorId: number, otherId: number): Promise<void> {
  await tx.updateTable('alert_notes').set({ author_id: otherId }).where('author_id', '=', authorId).execute()
}
