import { notFound, recordNotFound } from '../../../api/index.ts'
import { claim, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { presentingUsers, usersByIds } from '../../users/index.ts'
import type { NoteAccess } from '../noteable.ts'
import type { DiscussionRow, NoteRow } from '../tables.ts'
import { readableNotes } from './access.ts'
import { type Authors, type PresentedNote, presentDiscussion, presentNote } from './present.ts'
import * as store from './store.ts'

/** Names a note of a noteable; with a discussion it must be in that. */
export type NoteId = { discussionId?: string; noteId: number }

/** A note with its discussion. */
export type FoundNote = { note: NoteRow; discussion: DiscussionRow }

type Resolvers = Pick<DiscussionRow, 'resolved_by_id'>

/** The authors of these notes and those who resolved their discussions, and what the notes suggest, in a fixed number of queries. */
export async function authorsOf(
  platform: Platform,
  notes: readonly NoteRow[],
  discussions: readonly Resolvers[] = [],
): Promise<Authors> {
  const resolvers = discussions.flatMap(({ resolved_by_id: id }) => id ?? [])
  const ids = [...notes.map(({ author_id }) => author_id), ...resolvers]
  const suggesting = notes.filter((note) => note.noteable_type === 'MergeRequest' && /suggestion/.test(note.body))
  const [users, presenting, suggestions] = await Promise.all([
    usersByIds(platform.database.read, ids),
    presentingUsers(platform),
    suggesting.length === 0
      ? new Map()
      : platform.ports['notes.suggestions'](
          platform,
          suggesting.map(({ id }) => id),
        ),
  ])
  return { users, presenting, suggestions }
}

export async function presentOne(
  platform: Platform,
  access: NoteAccess,
  { note, discussion }: FoundNote,
): Promise<PresentedNote> {
  return presentNote(note, discussion, await authorsOf(platform, [note], [discussion]), access)
}

/** Presents discussions with the notes that the caller may read; those without any are left out. */
export async function presentAll(platform: Platform, access: NoteAccess, discussions: readonly DiscussionRow[]) {
  const ids = discussions.map(({ id }) => id)
  const all = await store.notesOfDiscussions(platform.database.read, ids)
  const notes = await readableNotes(access, all)
  const authors = await authorsOf(platform, notes, discussions)
  const byDiscussion = Map.groupBy(notes, ({ discussion_id }) => discussion_id)
  return discussions.flatMap((one) => {
    const own = byDiscussion.get(one.id)
    return own ? [presentDiscussion(one, own, authors, access)] : []
  })
}

/** @throws ApiError 404 when there is none, or the caller may not read it */
export async function noteIn(db: Reader, access: NoteAccess, { discussionId, noteId }: NoteId): Promise<FoundNote> {
  const { noteable } = access
  const within = discussionId === undefined ? null : await store.discussionOf(db, noteable, discussionId)
  if (discussionId !== undefined && !within) throw notFound('Discussion')
  const note = await store.noteOf(db, noteable, noteId)
  // Contract 22 has another text for notes of commits.
  const missing = noteable.type === 'Commit' ? notFound() : recordNotFound()
  if (!note || (within && note.discussion_id !== within.id)) throw missing
  if ((await readableNotes(access, [note])).length === 0) throw notFound('Note')
  const discussion = within ?? (await store.discussionsByIds(db, [note.discussion_id]))[0]
  if (!discussion) throw missing
  return { note, discussion }
}

/** As `noteIn`, with a lock on the discussion until the transaction ends. */
export async function lockNote(tx: Tx, access: NoteAccess, id: NoteId): Promise<FoundNote> {
  return claim(
    tx,
    'discussions',
    () => noteIn(tx, access, id),
    ({ discussion }) => ({ id: discussion.id }),
  )
}
