import {
  type Actor,
  badRequest,
  forbidden,
  limitRequests,
  notFound,
  type PageRequest,
  textProblems,
  type Unmodified,
} from '../../../api/index.ts'
import { now, type Reader, type Tx } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { ghostUserId, presentingUsers, usersByIds } from '../../users/index.ts'
import { columnsOf, type NoteAccess, type Noteable } from '../noteable.ts'
import { subscribeParticipant } from '../subscriptions/store.ts'
import type { DiscussionRow, NotePosition, NoteRow } from '../tables.ts'
import {
  type Authors,
  type PresentedDiscussion,
  type PresentedNote,
  presentDiscussion,
  presentNote,
} from './present.ts'
import * as store from './store.ts'

/** A note to be stored. */
export type NewNote = { noteable: Noteable; body: string; authorId: number; at: string }

/** Names a note of a noteable. */
export type NoteId = { discussionId: string; noteId: number }

const maximumLength = 1_000_000

/** @throws ApiError 400 for a blank or overlong body (contract 16, x.issue_note_create) */
function requireBody(body: string): void {
  const [problem] = textProblems(body, maximumLength)
  if (problem) throw badRequest(`Note {:note=>["${problem}"]}`)
}

/** @throws ApiError 403 for a caller that is no user */
export function authorIdOf(actor: Actor): number {
  if (actor.kind !== 'user') throw forbidden()
  return actor.userId
}

/** Checks a note before it is stored. @throws ApiError 429 above the setting `notes_create_limit`; 400 */
export async function requireNewNote(platform: Platform, actor: Actor, body: string): Promise<void> {
  const { notes_create_limit: requests } = await platform.settings.current()
  await limitRequests(platform, authorIdOf(actor), { name: 'notes_create', requests, periodSeconds: 60 })
  requireBody(body)
}

/** Stores a note; its author is subscribed to the noteable (contract 16, x.issue_note_create). */
async function addNote(tx: Tx, discussion: DiscussionRow, { noteable, body, authorId, at }: NewNote): Promise<NoteRow> {
  await subscribeParticipant(tx, noteable, authorId, at)
  const row = { ...columnsOf(noteable), discussion_id: discussion.id, author_id: authorId, body }
  return store.insertNote(tx, { ...row, created_at: at, updated_at: at })
}

/** Stores a discussion with its first note. */
export async function addDiscussion(
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
  return { discussion, note: await addNote(tx, discussion, note) }
}

/** The authors of these notes, in one query. */
export async function authorsOf(platform: Platform, notes: readonly NoteRow[]): Promise<Authors> {
  const ids = notes.map(({ author_id }) => author_id)
  const [users, presenting] = await Promise.all([usersByIds(platform.database.read, ids), presentingUsers(platform)])
  return { users, presenting }
}

async function presentOne(
  platform: Platform,
  { iid }: Noteable,
  { note, discussion }: { note: NoteRow; discussion: DiscussionRow },
): Promise<PresentedNote> {
  return presentNote(note, discussion, await authorsOf(platform, [note]), iid)
}

async function presentAll(platform: Platform, { iid }: Noteable, discussions: readonly DiscussionRow[]) {
  const ids = discussions.map(({ id }) => id)
  const notes = await store.notesOfDiscussions(platform.database.read, ids)
  const authors = await authorsOf(platform, notes)
  const byDiscussion = Map.groupBy(notes, ({ discussion_id }) => discussion_id)
  return discussions.map((one) => presentDiscussion(one, byDiscussion.get(one.id) ?? [], authors, iid))
}

/** A page of the discussions of a noteable, oldest first. */
export async function listDiscussions(platform: Platform, { noteable }: NoteAccess, page: PageRequest) {
  const found = await store.pageOfDiscussions(platform.database.read, noteable, page)
  return { ...found, items: await presentAll(platform, noteable, found.items) }
}

/** @throws ApiError 404 Discussion */
export async function getDiscussion(platform: Platform, { noteable }: NoteAccess, discussionId: string) {
  const discussion = await store.discussionOf(platform.database.read, noteable, discussionId)
  const [presented] = discussion ? await presentAll(platform, noteable, [discussion]) : []
  if (!presented) throw notFound('Discussion')
  return presented
}

/** Starts a thread; `position` resolves the line of a diff, after the body was checked. @throws ApiError 400, 429 */
export async function createDiscussion(
  platform: Platform,
  { noteable, actor, mayBackdate }: NoteAccess,
  given: { body: string; created_at?: string; position?: () => Promise<NotePosition> },
): Promise<PresentedDiscussion> {
  const { body, created_at } = given
  await requireNewNote(platform, actor, body)
  const position = (await given.position?.()) ?? null
  const at = created_at !== undefined && mayBackdate ? created_at : now(platform.clock)
  const made = { noteable, body, authorId: authorIdOf(actor), at }
  const { discussion, note } = await platform.database.write((tx) =>
    addDiscussion(tx, made, { isIndividual: false, position }),
  )
  return presentDiscussion(discussion, [note], await authorsOf(platform, [note]), noteable.iid)
}

/** Adds a note to a discussion; a single comment becomes a thread. @throws ApiError 404 Discussion, 400, 429 */
export async function replyToDiscussion(
  platform: Platform,
  { noteable, actor }: NoteAccess,
  discussionId: string,
  body: string,
): Promise<PresentedNote> {
  const { database, clock } = platform
  if (!(await store.discussionOf(database.read, noteable, discussionId))) throw notFound('Discussion')
  await requireNewNote(platform, actor, body)
  const made = await database.write(async (tx) => {
    const held = await store.lockDiscussion(tx, noteable, discussionId)
    if (!held) throw notFound('Discussion')
    const discussion = held.individual_note ? await store.makeThread(tx, held.id) : held
    const note = await addNote(tx, discussion, { noteable, body, authorId: authorIdOf(actor), at: now(clock) })
    return { discussion, note }
  })
  return presentOne(platform, noteable, made)
}

async function noteIn(db: Reader, noteable: Noteable, { discussionId, noteId }: NoteId) {
  const discussion = await store.discussionOf(db, noteable, discussionId)
  if (!discussion) throw notFound('Discussion')
  const note = await store.noteOfDiscussion(db, discussion.id, noteId)
  if (!note) throw notFound()
  return { discussion, note }
}

/** A note, with a lock on its discussion. @throws ApiError 404; 403 for others than its author and moderators */
async function lockNote(tx: Tx, { noteable, actor, mayModerate }: NoteAccess, id: NoteId) {
  if (!(await store.lockDiscussion(tx, noteable, id.discussionId))) throw notFound('Discussion')
  const found = await noteIn(tx, noteable, id)
  const isOwn = actor.kind === 'user' && actor.userId === found.note.author_id
  if (found.note.system || !(isOwn || mayModerate)) throw forbidden()
  return found
}

/** @throws ApiError 404 */
export async function getNote(platform: Platform, { noteable }: NoteAccess, id: NoteId): Promise<PresentedNote> {
  return presentOne(platform, noteable, await noteIn(platform.database.read, noteable, id))
}

/** Changes the body of a note; without one the note is unchanged. @throws ApiError 404, 403, 400 */
export async function changeNote(platform: Platform, access: NoteAccess, id: NoteId, body: string | undefined) {
  const { database, clock } = platform
  const changed = await database.write(async (tx) => {
    const before = await lockNote(tx, access, id)
    if (body === undefined) return before
    requireBody(body)
    return { ...before, note: await store.updateNote(tx, before.note.id, { body, updated_at: now(clock) }) }
  })
  return presentOne(platform, access.noteable, changed)
}

/** Deletes a note, and its discussion when it was the last note. @throws ApiError 404, 403, 412 */
export async function removeNote({ database }: Platform, access: NoteAccess, id: NoteId, unmodified: Unmodified) {
  await database.write(async (tx) => {
    const { note } = await lockNote(tx, access, id)
    unmodified(note.updated_at)
    await store.deleteNote(tx, note)
  })
}

/** Moves the notes of a removed user to the ghost user, or deletes them with `hard` (contract 20 R6). */
export const moveNotes: Reaction<Events['user.removed']> = async (platform, tx, { userId, hard }) => {
  if (hard) await store.deleteNotesOf(tx, userId)
  else if (await store.hasNotes(tx, userId)) await store.giveNotesTo(tx, userId, await ghostUserId(platform, tx))
}
