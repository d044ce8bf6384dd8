import type { Platform } from '../../../platform/index.ts'
import { authorsOf } from '../discussions/load.ts'
import { type PresentedNote, presentNote } from '../discussions/present.ts'
import { discussionsByIds } from '../discussions/store.ts'
import type { NoteAccess } from '../noteable.ts'
import type { NoteRow } from '../tables.ts'

/** Presents notes of several noteables, with a fixed number of queries. @param accessOf null for a note that is left out */
export async function presentFoundNotes(
  platform: Platform,
  notes: readonly NoteRow[],
  accessOf: (note: NoteRow) => NoteAccess | null,
): Promise<PresentedNote[]> {
  const rows = await discussionsByIds(platform.database.read, [...new Set(notes.map((note) => note.discussion_id))])
  const discussions = new Map(rows.map((row) => [row.id, row]))
  const authors = await authorsOf(platform, notes, rows)
  return notes.flatMap((note) => {
    const discussion = discussions.get(note.discussion_id)
    const access = accessOf(note)
    return discussion && access ? [presentNote(note, discussion, authors, access)] : []
  })
}
