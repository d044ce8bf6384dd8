import { countRows, locked, type Reader, rows, type Tx } from '../../infra/database/index.ts'
import { type DraftNoteRow, draftNotes } from './tables.ts'

export const { insert: insertDraft, update: updateDraftRow, remove: removeDrafts } = rows(draftNotes)

/** A merge request, and the user whose drafts on it are asked for. */
export type DraftScope = { mergeRequestId: number; authorId: number }

const ofAuthor = (db: Reader, { mergeRequestId, authorId }: DraftScope) =>
  db
    .selectFrom('draft_notes')
    .selectAll()
    .where('merge_request_id', '=', mergeRequestId)
    .where('author_id', '=', authorId)

/** The drafts of a user on a merge request, by id. */
export function draftsOf(db: Reader, scope: DraftScope): Promise<DraftNoteRow[]> {
  return ofAuthor(db, scope).orderBy('id').execute()
}

export async function draftOf(db: Reader, scope: DraftScope, id: number): Promise<DraftNoteRow | null> {
  return (await ofAuthor(db, scope).where('id', '=', id).executeTakeFirst()) ?? null
}

/** The drafts of a user on a merge request, or one of them, by id, with locks until the transaction ends. */
export function lockDrafts(tx: Tx, scope: DraftScope, id?: number): Promise<DraftNoteRow[]> {
  const query = ofAuthor(tx, scope).orderBy('id')
  return locked(tx, id === undefined ? query : query.where('id', '=', id)).execute()
}

/** How many drafts a user has on a merge request. */
export function countDrafts(db: Reader, { mergeRequestId, authorId }: DraftScope): Promise<number> {
  const query = db.selectFrom('draft_notes').where('merge_request_id', '=', mergeRequestId)
  return countRows(query.where('author_id', '=', authorId))
}
