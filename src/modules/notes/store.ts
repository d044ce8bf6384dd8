import { type RawBuilder, sql } from 'kysely'
import type { Reader, Tx } from '../../infra/database/index.ts'
import type { Noteable, NoteableRef } from './noteable.ts'

/** The condition that a row refers to a noteable; each of the two forms has an index. */
export function refersTo({ type, projectId, id, commitId }: NoteableRef): RawBuilder<boolean> {
  return commitId === null
    ? sql<boolean>`(noteable_type = ${type} and noteable_id = ${id})`
    : sql<boolean>`(project_id = ${projectId} and noteable_type = ${type} and commit_id = ${commitId})`
}

/** The ids of the notes of a noteable. */
export async function noteIdsOf(db: Reader, noteable: NoteableRef): Promise<number[]> {
  return (await db.selectFrom('notes').select('id').where(refersTo(noteable)).execute()).map(({ id }) => id)
}

/** Deletes the notes, discussions, award emoji, subscriptions and to-dos of a noteable that is being deleted. */
export async function deleteNoteable(tx: Tx, noteable: Noteable): Promise<void> {
  const notes = tx.selectFrom('notes').select('id').where(refersTo(noteable))
  await tx.deleteFrom('award_emoji').where('noteable_type', '=', 'Note').where('noteable_id', 'in', notes).execute()
  for (const table of ['todos', 'subscriptions', 'award_emoji', 'notes', 'discussions'] as const) {
    await tx.deleteFrom(table).where(refersTo(noteable)).execute()
  }
}
