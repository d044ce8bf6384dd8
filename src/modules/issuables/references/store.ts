import { sql } from 'kysely'
import { portionsOf, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { columnsOf, type IssuableRef, type IssuableType } from '../issuable.ts'
import { refersTo } from '../store.ts'
import type { CrossReferencesTable, NoteReferencesTable } from '../tables.ts'

/** Rows of one statement: their columns are parameters of the query. */
const atOnce = 500

/** What mentions an issuable: another one, or a commit of a project. */
export type Source = Pick<CrossReferencesTable, 'source_type' | 'source_id' | 'source_project_id' | 'source_commit'>

/** A system note with what it names. */
type NoteReference = NoteReferencesTable

/** What these system notes name; notes that name nothing are absent. */
export async function targetsOfNotes(db: Reader, noteIds: readonly number[]): Promise<NoteReference[]> {
  if (noteIds.length === 0) return []
  return db
    .selectFrom('note_references')
    .selectAll()
    .where(within(db, 'note_id', noteIds))
    .execute()
}

/** Stores what system notes name. */
export async function insertNoteReferences(tx: Tx, rows: readonly NoteReference[]): Promise<void> {
  for (const portion of portionsOf(rows, atOnce)) await tx.insertInto('note_references').values(portion).execute()
}

/** Stores that a source mentions an issuable. @returns the id of the row; null when it was stored before */
export async function insertReference(tx: Tx, target: IssuableRef, source: Source, at: string): Promise<number | null> {
  const row = { ...columnsOf(target), ...source, note_id: null, created_at: at }
  const query = tx.insertInto('cross_references').values(row)
  const made = await query
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return made?.id ?? null
}

export async function setReferenceNote(tx: Tx, id: number, noteId: number): Promise<void> {
  await tx.updateTable('cross_references').set({ note_id: noteId }).where('id', '=', id).execute()
}

/** The projects of the commits that mention an issuable, by their ids; of equal ids one. */
export async function projectsOfCommits(
  db: Reader,
  target: Pick<IssuableRef, 'type' | 'id'>,
  shas: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('cross_references')
    .select(['source_commit', 'source_project_id'])
    .where(refersTo(target))
    .where(within(db, 'source_commit', shas))
    .execute()
  return new Map(rows.flatMap((row) => (row.source_commit ? [[row.source_commit, row.source_project_id ?? 0]] : [])))
}

/** The ids of the issuables of a type that an issuable mentions (contract 19, x.mr_related_issues). */
export async function referencedBy(
  db: Reader,
  source: Pick<IssuableRef, 'type' | 'id'>,
  type: IssuableType,
): Promise<number[]> {
  const rows = await db
    .selectFrom('cross_references')
    .select('issuable_id')
    .where('source_type', '=', source.type)
    .where('source_id', '=', source.id)
    .where('issuable_type', '=', type)
    .orderBy('issuable_id')
    .execute()
  return rows.map(({ issuable_id }) => issuable_id)
}

/** The ids of the issuables of a type that mention an issuable (contract 16, x.issue_related_mrs). */
export async function referencesTo(
  db: Reader,
  target: Pick<IssuableRef, 'type' | 'id'>,
  type: IssuableType,
): Promise<number[]> {
  const rows = await db
    .selectFrom('cross_references')
    .select('source_id')
    .where(refersTo(target))
    .where('source_type', '=', type)
    .where('source_id', 'is not', null)
    .orderBy('source_id')
    .execute()
  return rows.flatMap(({ source_id }) => source_id ?? [])
}

/** Deletes the references that these issuables make. @returns the ids of their system notes */
export async function deleteReferencesOf(tx: Tx, type: IssuableType, ids: readonly number[]): Promise<number[]> {
  const rows = await tx
    .deleteFrom('cross_references')
    .where('source_type', '=', type)
    .where(within(tx, 'source_id', ids))
    .returning('note_id')
    .execute()
  return rows.flatMap(({ note_id }) => note_id ?? [])
}

/** Stores who is mentioned in the description (`noteId` null) or in a note, in place of the present mentions. @returns who is new */
export async function replaceMentions(
  tx: Tx,
  target: IssuableRef,
  noteId: number | null,
  userIds: readonly number[],
): Promise<number[]> {
  const place = noteId === null ? sql<boolean>`note_id is null` : sql<boolean>`note_id = ${noteId}`
  const present = tx.selectFrom('user_mentions').select('user_id').where(refersTo(target)).where(place)
  const before = (await present.execute()).map(({ user_id }) => user_id)
  const gone = before.filter((id) => !userIds.includes(id))
  const added = userIds.filter((id) => !before.includes(id))
  if (gone.length > 0) {
    const query = tx.deleteFrom('user_mentions').where(refersTo(target)).where(place)
    await query.where(within(tx, 'user_id', gone)).execute()
  }
  if (added.length > 0) {
    const rows = added.map((user_id) => ({ ...columnsOf(target), note_id: noteId, user_id }))
    await tx
      .insertInto('user_mentions')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  return added
}
