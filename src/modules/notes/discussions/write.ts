import { type Actor, badRequest, limitRequests, textProblems } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { columnsOf, type Noteable } from '../noteable.ts'
import { subscribeParticipant } from '../subscriptions/store.ts'
import type { DiscussionRow, NotePosition, NoteRow } from '../tables.ts'
import { authorIdOf } from './access.ts'
import * as store from './store.ts'

/** A note to be stored. */
export type NewNote = {
  noteable: Noteable
  body: string
  authorId: number
  at: string
  internal?: boolean
  /** Whether it is one of several notes that one `review.published` names. */
  isOfReview?: boolean
}

/** The longest text of a note, in characters. */
export const longestNote = 1_000_000

/** @throws ApiError 400 for a blank or overlong body (contract 16, x.issue_note_create) */
export function requireBody(body: string): void {
  const [problem] = textProblems(body, longestNote)
  if (problem) throw badRequest(`Note {:note=>["${problem}"]}`)
}

/** Counts a note or a draft of one that a user writes. @throws ApiError 429 above the setting `notes_create_limit` */
export async function limitNotes(platform: Platform, actor: Actor): Promise<void> {
  const { notes_create_limit: requests } = await platform.settings.current()
  await limitRequests(platform, authorIdOf(actor), { name: 'notes_create', requests, periodSeconds: 60 })
}

/** Checks a note before it is stored. @throws ApiError 429 above the setting `notes_create_limit`; 400 */
export async function requireNewNote(platform: Platform, actor: Actor, body: string): Promise<void> {
  await limitNotes(platform, actor)
  requireBody(body)
}

/** Raises an event about a note that a user has written or changed. */
export async function raise(
  platform: Platform,
  tx: Tx,
  event: 'note.created' | 'note.changed',
  note: NoteRow,
  isOfReview = false,
) {
  const { id: noteId, noteable_type: type, noteable_id: noteableId, author_id: userId, updated_at: at } = note
  await react(platform, tx, event, { noteId, projectId: note.project_id, type, noteableId, userId, at, isOfReview })
}

/** Stores a note; its author is subscribed to the noteable (contract 16, x.issue_note_create). */
export async function addNote(platform: Platform, tx: Tx, discussion: DiscussionRow, given: NewNote): Promise<NoteRow> {
  const { noteable, body, authorId, at, internal = false, isOfReview } = given
  await subscribeParticipant(tx, noteable, authorId, at)
  const row = { ...columnsOf(noteable), discussion_id: discussion.id, author_id: authorId, body, internal }
  const note = await store.insertNote(tx, { ...row, created_at: at, updated_at: at })
  await raise(platform, tx, 'note.created', note, isOfReview)
  return note
}

/** Stores a discussion with its first note. */
export async function addDiscussion(
  platform: Platform,
  tx: Tx,
  note: NewNote,
  { isIndividual, position }: { isIndividual: boolean; position: NotePosition | null },
): Promise<{ discussion: DiscussionRow; note: NoteRow }> {
  const discussion = await store.insertDiscussion(tx, {
    ...columnsOf(note.noteable),
    public_id: randomHex(20),
    individual_note: isIndividual,
    position: position && JSON.stringify(position),
    created_at: note.at,
  })
  return { discussion, note: await addNote(platform, tx, discussion, note) }
}
