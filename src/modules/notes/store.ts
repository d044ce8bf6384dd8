import { type RawBuilder, sql } from 'kysely'
import { type Reader, type Tx, within } from '../../infra/database/index.ts'
import type { Noteable, NoteableRef, NoteableType } from './noteable.ts'

/** The condition that a row refers to a noteable; each of the two forms has an index. */
export function refersTo({ type, projectId, id, commitId }: NoteableRef): RawBuilder<boolean> {
  return commitId === null
    ? sql<boolean>`(noteable_type = ${type} and noteable_id = ${id})`
    : sql<boolean>`(project_id = ${projectId} and noteable_type = ${type} and commit_id = ${commitId})`
}

/** The condition that a row refers to one of these noteables, which have ids. */
const refersToOneOf = (db: Reader, type: NoteableType, ids: readonly number[]) =>
  sql<boolean>`(noteable_type = ${type} and ${within(db, 'noteable_id', ids)})`

/** The ids of the notes of these noteables. */
export async function noteIdsOf(db: Reader, type: NoteableType, ids: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom('notes')
    .select('id')
    .where(refersToOneOf(db, type, ids))
    .execute()
  return rows.map(({ id }) => id)
}

async function deleteAll(tx: Tx, condition: RawBuilder<boolean>): Promise<void> {
  const notes = tx.selectFrom('notes').select('id').where(condition)
  await tx.deleteFrom('award_emoji').where('noteable_type', '=', 'Note').where('noteable_id', 'in', notes).execute()
  for (const table of ['todos', 'subscriptions', 'award_emoji', 'notes', 'discussions'] as const) {
    await tx.deleteFrom(table).where(condition).execute()
  }
}

/** Deletes the notes, discussions, award emoji, subscriptions and to-dos of a noteable that is being deleted. */
export async function deleteNoteable(tx: Tx, noteable: Noteable): Promise<void> {
  await deleteAll(tx, refersTo(noteable))
}

/** The same for several noteables, which have ids. */
export async function deleteNoteables(tx: Tx, type: NoteableType, ids: readonly number[]): Promise<void> {
  await deleteAll(tx, refersToOneOf(tx, type, ids))
}
