/** Notes on merge requests that only their authors see until they publish them (contract 26.2). */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'
import type { NotePosition } from '../notes/index.ts'

export const draftNotes = table(
  'draft_notes',
  {
    id: t.id(),
    merge_request_id: t.refers('merge_requests', 'cascade'),
    author_id: t.refers('users', 'cascade'),
    note: t.text(),
    /** The thread that it answers. */
    discussion_id: t.refers('discussions', 'set null').nullable(),
    resolve_discussion: t.boolean(),
    commit_id: t.text().nullable(),
    position: t.json<NotePosition>().nullable(),
    /** The code of the line of the position. */
    line_code: t.text().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    indexes: {
      order: ['merge_request_id', 'author_id', 'id'],
      author: ['author_id'],
      discussion: partial('discussion_id'),
    },
  },
)

export type DraftNoteRow = RowOf<typeof draftNotes>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof draftNotes> {}
}
