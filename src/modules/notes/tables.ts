import type { Generated, Selectable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'
import type { NoteableColumns, NoteableType } from './noteable.ts'

/** A line of a diff: an added line has no `old_line`, a removed one no `new_line`, an unchanged one has both. */
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

export type DiscussionsTable = NoteableColumns & {
  id: Generated<number>
  /** The id in the API: 40 hexadecimal digits. */
  public_id: string
  /** Whether it is a single comment: not started as a thread, and without replies. */
  individual_note: boolean
  position: Json<NotePosition> | null
  resolved_at: string | null
  resolved_by_id: number | null
  created_at: string
}

export type NotesTable = NoteableColumns & {
  id: Generated<number>
  discussion_id: number
  author_id: number
  body: string
  /** Whether the server wrote the note. */
  system: Generated<boolean>
  internal: Generated<boolean>
  created_at: string
  updated_at: string
}

export type AwardEmojiTable = NoteableColumns<NoteableType | 'Note'> & {
  id: Generated<number>
  user_id: number
  /** Short name without colons. */
  name: string
  created_at: string
  updated_at: string
}

export type SubscriptionsTable = NoteableColumns & {
  id: Generated<number>
  user_id: number
  /** False after the user has unsubscribed: taking part does not subscribe them again. */
  subscribed: boolean
  created_at: string
  updated_at: string
}

/** Why a user has a to-do (contract 16, To-do). */
export type TodoAction =
  | 'assigned'
  | 'mentioned'
  | 'build_failed'
  | 'marked'
  | 'approval_required'
  | 'unmergeable'
  | 'directly_addressed'
  | 'review_requested'

export type TodosTable = NoteableColumns & {
  id: Generated<number>
  /** Whose to-do it is. */
  user_id: number
  /** The user whose action created it. */
  author_id: number
  action: TodoAction
  /** The note that mentions the user. */
  note_id: number | null
  state: 'pending' | 'done'
  created_at: string
  updated_at: string
}

/** The upvotes of the noteables that have any, which the database counts; not of commits. */
export type AwardVotesTable = {
  noteable_type: NoteableType
  noteable_id: number
  project_id: number | null
  upvotes: number
}

export type AwardEmojiRow = Selectable<AwardEmojiTable>
export type TodoRow = Selectable<TodosTable>
export type DiscussionRow = Selectable<DiscussionsTable>
export type NoteRow = Selectable<NotesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    award_emoji: AwardEmojiTable
    award_votes: AwardVotesTable
    discussions: DiscussionsTable
    notes: NotesTable
    subscriptions: SubscriptionsTable
    todos: TodosTable
  }
}
