import type { Tx } from '../../../infra/database/index.ts'
import { addSystemNotes, type SystemNote } from '../../notes/index.ts'
import type { ChangeOrigin, IssuableRef, ReadCommit } from '../issuable.ts'
import { insertNoteReferences, targetsOfNotes } from './store.ts'

/** What a system note names. */
export type Named = Pick<IssuableRef, 'type' | 'id' | 'projectId'> | ReadCommit

/** A system note whose text names an issuable or a commit. */
export type NamingNote = SystemNote & { names: Named }

/**
 * Stores system notes that name other issuables or commits: each is shown only to who may read what it names (contract 16,
 * "Rules"). @returns their ids
 */
export async function addNamingNotes(tx: Tx, notes: readonly NamingNote[], origin: ChangeOrigin): Promise<number[]> {
  const ids = await addSystemNotes(tx, notes, origin)
  const rows = notes.map(({ names: { type, projectId, ...target } }, index) => ({
    note_id: ids[index] as number,
    target_type: type,
    target_id: 'id' in target ? target.id : null,
    target_project_id: projectId,
  }))
  await insertNoteReferences(tx, rows)
  return ids
}

/** Lets the copies of notes name what the originals name. @param copies the ids of the copies, by those of the originals */
export async function copyNoteReferences(tx: Tx, copies: ReadonlyMap<number, number>): Promise<void> {
  const originals = await targetsOfNotes(tx, [...copies.keys()])
  const rows = originals.map((row) => ({ ...row, note_id: copies.get(row.note_id) as number }))
  await insertNoteReferences(tx, rows)
}
