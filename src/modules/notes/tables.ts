/**
 * Discussions and their notes (contract 16 and 22, Discussion and Note). Every note belongs to a discussion. Both tables are
 * listed by the noteable, so both name it: a commit by its SHA, any other noteable by the id of its row; and its project or group,
 * with which they are deleted. A discussion on a
 * line of a diff has a `position`. Award emoji (also of notes), subscriptions and to-dos (contract 16) refer to noteables in
 * the same way.
 */
import { partial, type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'
import type { ImportSource } from '../../platform/index.ts'
import { votesTriggers } from './awards/votes-triggers.ts'
import type { NoteableType } from './noteable.ts'

/** An end of a range of lines in a diff. The code names the file, and the numbers at which both sides are. */
export type RangeEnd = {
  line_code: string
  type: 'old' | 'new' | null
  old_line: number | null
  new_line: number | null
}

/** What a position names: a line, a place in an image, or a file as a whole. */
export const positionTypes = ['text', 'image', 'file'] as const

/**
 * A line of a diff: an added line has no `old_line`, a removed one no `new_line`, an unchanged one has both. Positions of the other types
 * have no lines.
 */
export type NotePosition = {
  base_sha: string
  start_sha: string
  head_sha: string
  position_type: (typeof positionTypes)[number]
  old_path: string
  new_path: string
  old_line: number | null
  new_line: number | null
  /** The lines that end with this one, where they are several. */
  line_range?: { start: RangeEnd; end: RangeEnd }
} & PlaceInImage

/** A place in an image, with the size in which the image was shown. */
export type PlaceInImage = { [name in 'width' | 'height' | 'x' | 'y']?: number | undefined }

/** The columns that refer to a noteable: a commit by its SHA, any other by the id of its row; and its project or group. */
const noteableColumns = <Type extends string = NoteableType>() => ({
  project_id: t.refers('projects', 'cascade').nullable(),
  group_id: t.refers('namespaces', 'cascade').nullable(),
  noteable_type: t.text<Type>(),
  noteable_id: t.bigint().nullable(),
  commit_id: t.text().nullable(),
})
const noteable = noteableColumns()
const namesOne =
  "case when noteable_type = 'Commit' then commit_id is not null and noteable_id is null else noteable_id is not null end"

/** A discussion on a line of a diff has a `position` (contract 16 and 22). */
export const discussions = table(
  'discussions',
  {
    id: t.id(),
    /** The id in the API: 40 hexadecimal digits. */
    public_id: t.name(),
    /** Whether it is a single comment: not started as a thread, and without replies. */
    individual_note: t.boolean(),
    position: t.json<NotePosition>().nullable(),
    resolved_at: t.time().nullable(),
    resolved_by_id: t.refers('users', 'set null').nullable(),
    created_at: t.time(),
    ...noteable,
  },
  {
    checks: [namesOne],
    unique: { public_id: ['public_id'] },
    indexes: {
      resolved_by: partial('resolved_by_id'),
      commit: ['project_id', 'commit_id', 'created_at', 'id'],
      noteable: ['noteable_type', 'noteable_id', 'created_at', 'id'],
      group: partial('group_id'),
    },
  },
)
export type DiscussionsTable = TableOf<typeof discussions>

export const notes = table(
  'notes',
  {
    id: t.id(),
    discussion_id: t.refers('discussions', 'cascade'),
    author_id: t.refers('users', 'cascade'),
    body: t.text(),
    /** Whether the server wrote the note. */
    system: t.boolean().default(false),
    internal: t.boolean().default(false),
    created_at: t.time(),
    updated_at: t.time(),
    ...noteable,
    /** Where it was imported from. */
    imported_from: t.text<ImportSource>().default('none'),
  },
  {
    checks: [namesOne],
    indexes: {
      discussion: ['discussion_id', 'created_at', 'id'],
      commit: ['project_id', 'commit_id', 'created_at', 'id'],
      noteable: ['noteable_type', 'noteable_id', 'created_at', 'id'],
      author: ['author_id'],
      group: partial('group_id'),
    },
  },
)
export type NotesTable = TableOf<typeof notes>

export const awardEmoji = table(
  'award_emoji',
  {
    id: t.id(),
    user_id: t.refers('users', 'cascade'),
    /** Short name without colons. */
    name: t.name(),
    created_at: t.time(),
    updated_at: t.time(),
    ...noteableColumns<NoteableType | 'Note'>(),
  },
  {
    checks: [namesOne],
    unique: {
      noteable: { on: ['noteable_type', 'noteable_id', 'user_id', 'name'], where: 'noteable_id is not null' },
      commit: { on: ['project_id', 'commit_id', 'user_id', 'name'], where: 'commit_id is not null' },
    },
    indexes: {
      project: ['project_id'],
      group: partial('group_id'),
      user: ['user_id', 'project_id', 'noteable_type', 'name', 'noteable_id'],
      order: ['noteable_type', 'noteable_id', 'id'],
    },
  },
)

export const subscriptions = table(
  'subscriptions',
  {
    id: t.id(),
    user_id: t.refers('users', 'cascade'),
    /** False after the user has unsubscribed: taking part does not subscribe them again. */
    subscribed: t.boolean(),
    created_at: t.time(),
    updated_at: t.time(),
    ...noteable,
  },
  {
    checks: [namesOne],
    unique: {
      noteable: { on: ['noteable_type', 'noteable_id', 'user_id'], where: 'noteable_id is not null' },
      commit: { on: ['project_id', 'commit_id', 'user_id'], where: 'commit_id is not null' },
    },
    indexes: { project: ['project_id'], user: ['user_id'], group: partial('group_id') },
  },
)

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

export const todos = table(
  'todos',
  {
    id: t.id(),
    /** Whose to-do it is. */
    user_id: t.refers('users', 'cascade'),
    /** The user whose action created it. */
    author_id: t.refers('users', 'cascade'),
    action: t.text<TodoAction>(),
    /** The note that mentions the user. */
    note_id: t.refers('notes', 'set null').nullable(),
    state: t.oneOf('pending', 'done').default('pending'),
    created_at: t.time(),
    updated_at: t.time(),
    ...noteable,
  },
  {
    checks: [namesOne],
    unique: {
      noteable_pending: {
        on: ['noteable_type', 'noteable_id', 'user_id'],
        where: "noteable_id is not null and state = 'pending'",
      },
      commit_pending: {
        on: ['project_id', 'commit_id', 'user_id'],
        where: "commit_id is not null and state = 'pending'",
      },
    },
    indexes: {
      project: ['project_id'],
      user: ['user_id', 'state', 'id'],
      author: ['author_id'],
      note: ['note_id'],
      noteable: ['noteable_type', 'noteable_id'],
      group: partial('group_id'),
    },
  },
)

/** The upvotes of the noteables that have any, which the database counts; not of commits. */
export const awardVotes = table(
  'award_votes',
  {
    noteable_type: t.text<NoteableType>(),
    noteable_id: t.bigint(),
    project_id: t.refers('projects', 'cascade').nullable(),
    upvotes: t.integer(),
  },
  {
    primaryKey: ['noteable_type', 'noteable_id'],
    indexes: {
      project: ['project_id', 'noteable_type', 'upvotes', 'noteable_id'],
      order: ['noteable_type', 'upvotes', 'noteable_id'],
    },
    triggers: votesTriggers,
  },
)

export type AwardEmojiRow = RowOf<typeof awardEmoji>
export type TodoRow = RowOf<typeof todos>
export type DiscussionRow = RowOf<typeof discussions>
export type NoteRow = RowOf<typeof notes>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      typeof discussions | typeof notes | typeof awardEmoji | typeof subscriptions | typeof todos | typeof awardVotes
    > {}
}
