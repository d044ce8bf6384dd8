/** Suggestions (contract 25, "Suggestions"): lines that a note on a line of a diff proposes in place of others. */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const suggestions = table(
  'suggestions',
  {
    id: t.id(),
    note_id: t.refers('notes', 'cascade'),
    /** Its place among those of the note. */
    position: t.integer(),
    /** How many lines above and below that of the note it replaces. */
    lines_above: t.integer(),
    lines_below: t.integer(),
    to_content: t.text(),
    /** The commit that applied it. */
    commit_sha: t.text().nullable(),
  },
  {
    unique: { position: ['note_id', 'position'] },
  },
)

export type SuggestionRow = RowOf<typeof suggestions>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof suggestions> {}
}
