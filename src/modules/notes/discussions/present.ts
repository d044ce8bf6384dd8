import { anything, forms, nullable, type Static, Type } from '../../../api/index.ts'
import { importMembers } from '../../../platform/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../../users/index.ts'
import type { NoteAccess } from '../noteable.ts'
import type { DiscussionRow, NotePosition, NoteRow } from '../tables.ts'
import type { NoteWithPosition } from './store.ts'

/** An end of a range of lines, in a position. */
export const RangeEnd = Type.Object({
  line_code: Type.String(),
  type: forms.nullableString,
  old_line: forms.nullableInteger,
  new_line: forms.nullableInteger,
})

const pixels = Type.Optional(Type.Integer({ description: 'Of an image.' }))
const placeInImage = { width: pixels, height: pixels, x: pixels, y: pixels }

const Position = Type.Object(
  {
    base_sha: Type.String(),
    start_sha: Type.String(),
    head_sha: Type.String(),
    position_type: Type.String(),
    old_path: Type.String(),
    new_path: Type.String(),
    old_line: forms.nullableInteger,
    new_line: forms.nullableInteger,
    line_range: Type.Optional(Type.Object({ start: RangeEnd, end: RangeEnd })),
    ...placeInImage,
  },
  { title: 'NotePosition' },
)

/** Lines that a note suggests in place of others (contract 25, Suggestion). */
export const Suggestion = Type.Object(
  {
    id: forms.id,
    from_line: Type.Integer(),
    to_line: Type.Integer(),
    appliable: Type.Boolean(),
    applicable: Type.Boolean(),
    applied: Type.Boolean(),
    from_content: Type.String(),
    to_content: Type.String(),
  },
  { title: 'Suggestion' },
)
export type PresentedSuggestion = Static<typeof Suggestion>

/** A note (contract 16 and 22, Note). */
export const Note = Type.Object(
  {
    id: forms.id,
    type: forms.nullableString,
    body: Type.String(),
    attachment: Type.Optional(forms.nullableString),
    author: UserBasic,
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
    system: Type.Boolean(),
    noteable_id: forms.nullableInteger,
    noteable_type: Type.String(),
    project_id: forms.nullableInteger,
    commit_id: Type.Optional(forms.nullableString),
    position: Type.Optional(Position),
    resolvable: Type.Boolean(),
    resolved: Type.Optional(Type.Boolean()),
    resolved_by: Type.Optional(nullable(UserBasic)),
    resolved_at: Type.Optional(forms.nullableTimestamp),
    confidential: Type.Boolean(),
    internal: Type.Boolean(),
    imported: Type.Boolean(),
    imported_from: Type.String(),
    noteable_iid: forms.nullableInteger,
    suggestions: Type.Optional(Type.Array(Suggestion)),
    commands_changes: Type.Record(Type.String(), anything),
  },
  { title: 'Note' },
)
export type PresentedNote = Static<typeof Note>

/** A discussion with its notes (contract 16 and 22, Discussion). */
export const Discussion = Type.Object(
  { id: Type.String(), individual_note: Type.Boolean(), notes: Type.Array(Note) },
  { title: 'Discussion' },
)
export type PresentedDiscussion = Static<typeof Discussion>

/** What quick actions have done, when a note has nothing else (contract 16, NoteCommands). */
export const NoteCommands = Type.Object(
  { commands_changes: Type.Record(Type.String(), anything), summary: Type.Array(Type.String()) },
  { title: 'NoteCommands' },
)
export type PresentedCommands = Static<typeof NoteCommands>

/** A comment on a commit, the older form of a note (contract 22, CommitNote). */
export const CommitNote = Type.Object(
  {
    note: Type.String(),
    path: forms.nullableString,
    line: forms.nullableInteger,
    line_type: forms.nullableString,
    author: UserBasic,
    created_at: forms.timestamp,
  },
  { title: 'CommitNote' },
)
export type PresentedCommitNote = Static<typeof CommitNote>

/** The authors of several notes, and what the notes suggest. */
export type Authors = {
  users: ReadonlyMap<number, UserRow>
  presenting: PresentingUsers
  suggestions: ReadonlyMap<number, readonly PresentedSuggestion[]>
}

function authorOf({ author_id }: NoteRow, { users, presenting }: Authors) {
  const author = users.get(author_id)
  if (!author) throw new Error(`author ${author_id} of a note is missing`)
  return presentUserBasic(author, presenting)
}

function typeOf({ position, individual_note: isIndividual }: DiscussionRow): string | null {
  if (position) return 'DiffNote'
  return isIndividual ? null : 'DiscussionNote'
}

/** Whether a note is of a thread that can be resolved: one of users in a merge request, but no single comment. */
const isResolvable = ({ noteable_type, system }: NoteRow, { individual_note }: DiscussionRow) =>
  noteable_type === 'MergeRequest' && !individual_note && !system

/** Whether the thread of a note is resolved, and by whom. */
function resolutionOf(note: NoteRow, discussion: DiscussionRow, { users, presenting }: Authors) {
  if (!isResolvable(note, discussion)) return { resolvable: false }
  const { resolved_at, resolved_by_id } = discussion
  const user = users.get(resolved_by_id ?? 0)
  const resolved_by = user ? presentUserBasic(user, presenting) : null
  return { resolvable: true, resolved: resolved_at !== null, resolved_by, resolved_at }
}

export function presentNote(
  note: NoteRow,
  discussion: DiscussionRow,
  authors: Authors,
  access: NoteAccess,
): PresentedNote {
  const { id, body, created_at, updated_at, system, internal, noteable_id, noteable_type, project_id } = note
  const { commit_id: commitId } = note
  return {
    ...{ id, type: typeOf(discussion), body },
    // Contract 22 lists the members of notes of commits without it.
    ...(commitId === null ? { attachment: null } : {}),
    ...{ author: authorOf(note, authors), created_at, updated_at, system },
    ...{ noteable_id, noteable_type, project_id },
    ...(commitId === null ? {} : { commit_id: commitId }),
    ...(discussion.position ? { position: discussion.position } : {}),
    ...resolutionOf(note, discussion, authors),
    ...{ confidential: internal, internal, ...importMembers(note) },
    noteable_iid: access.noteable.iid,
    ...(discussion.position &&
      noteable_type === 'MergeRequest' && { suggestions: [...(authors.suggestions.get(id) ?? [])] }),
    commands_changes: {},
  }
}

/** @param notes of the discussion, oldest first */
export function presentDiscussion(
  discussion: DiscussionRow,
  notes: readonly NoteRow[],
  authors: Authors,
  access: NoteAccess,
): PresentedDiscussion {
  return {
    id: discussion.public_id,
    individual_note: discussion.individual_note,
    notes: notes.map((note) => presentNote(note, discussion, authors, access)),
  }
}

/** The line of a comment: on the new side, unless the line exists only on the old one. */
function lineOf(position: NotePosition | null): Pick<PresentedCommitNote, 'path' | 'line' | 'line_type'> {
  if (!position) return { path: null, line: null, line_type: null }
  const { new_line: added, old_line: removed, new_path: path } = position
  return added === null ? { path, line: removed, line_type: 'old' } : { path, line: added, line_type: 'new' }
}

/** A note as a comment on a commit. */
export function presentCommitNote(note: NoteWithPosition, authors: Authors): PresentedCommitNote {
  const { body, position, created_at } = note
  return { note: body, ...lineOf(position), author: authorOf(note, authors), created_at }
}
