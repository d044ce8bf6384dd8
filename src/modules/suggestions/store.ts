import { type Reader, rows, type Tx, within } from '../../infra/database/index.ts'
import type { Block } from './blocks.ts'
import { type SuggestionRow, suggestions } from './tables.ts'

export const { byIds: suggestionsByIds } = rows(suggestions)

/** Stores the suggestions of a note in place of those that were not applied. */
export async function replaceSuggestions(tx: Tx, noteId: number, blocks: readonly Block[]): Promise<void> {
  await tx.deleteFrom('suggestions').where('note_id', '=', noteId).where('commit_sha', 'is', null).execute()
  const kept = await tx.selectFrom('suggestions').select('position').where('note_id', '=', noteId).execute()
  const taken = new Set(kept.map(({ position }) => position))
  const values = blocks.flatMap(({ above, below, content }, position) =>
    taken.has(position)
      ? []
      : [{ note_id: noteId, position, lines_above: above, lines_below: below, to_content: content, commit_sha: null }],
  )
  if (values.length > 0) await tx.insertInto('suggestions').values(values).execute()
}

/** The suggestions of these notes, in their order. */
export async function suggestionsOf(db: Reader, noteIds: readonly number[]): Promise<SuggestionRow[]> {
  if (noteIds.length === 0) return []
  const query = db.selectFrom('suggestions').selectAll()
  return query
    .where(within(db, 'note_id', noteIds))
    .orderBy('note_id')
    .orderBy('position')
    .execute()
}

/** Marks a suggestion as applied by a commit. @returns false when it was applied before */
export async function markApplied(tx: Tx, id: number, commitSha: string): Promise<boolean> {
  const query = tx.updateTable('suggestions').set({ commit_sha: commitSha }).where('id', '=', id)
  const { numUpdatedRows } = await query.where('commit_sha', 'is', null).executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
