import type { Generated, Selectable } from 'kysely'
import type { Json } from '../namespaces/index.ts'

/** A place in the diff of a commit. One of the two lines is null: the side on which the line is not. Both stand for a line without a change. */
export type NotePosition = {
  base_sha: string
  start_sha: string
  head_sha: string
  position_type: 'text'
  old_path: string
  new_path: string
  old_line: number | null
  new_line: number | null
}

/** What notes are about. Commits have their id alone, everything else a row. */
type NoteableColumns = {
  project_id: number | null
  noteable_type: 'Commit'
  noteable_id: number | null
  commit_id: string | null
}

export type DiscussionsTable = NoteableColumns & {
  id: Generated<number>
  /** 40 hexadecimal digits, by which it is known outside. */
  public_id: string
  /** A single note that nobody has answered, and that was not begun as a thread. */
  individual_note: boolean
  position: Json<NotePosition> | null
  created_at: string
}

export type NotesTable = NoteableColumns & {
  id: Generated<number>
  discussion_id: number
  author_id: number
  body: string
  /** Written by the platform itself. */
  system: Generated<boolean>
  internal: Generated<boolean>
  created_at: string
  updated_at: string
}

export type DiscussionRow = Selectable<DiscussionsTable>
export type NoteRow = Selectable<NotesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    discussions: DiscussionsTable
    notes: NotesTable
  }
}
