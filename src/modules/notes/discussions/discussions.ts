import { badRequest, notFound, type PageRequest } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { ghostUserId } from '../../users/index.ts'
import type { NoteAccess } from '../noteable.ts'
import type { DiscussionRow, NotePosition } from '../tables.ts'
import { authorIdOf, readableNotes, requireComment, requireResolve } from './access.ts'
import { authorsOf, presentAll, presentOne } from './load.ts'
import { type PresentedDiscussion, type PresentedNote, presentDiscussion } from './present.ts'
import * as store from './store.ts'
import { addDiscussion, addNote, requireNewNote } from './write.ts'

/** A page of the discussions of a noteable, oldest first. */
export async function listDiscussions(platform: Platform, access: NoteAccess, page: PageRequest) {
  const found = await store.pageOfDiscussions(platform.database.read, access.noteable, page)
  return { ...found, items: await presentAll(platform, access, found.items) }
}

/** @throws ApiError 404 Discussion; `noun` names it otherwise */
export async function getDiscussion(
  platform: Platform,
  access: NoteAccess,
  discussionId: string,
  noun = 'Discussion',
): Promise<PresentedDiscussion> {
  const discussion = await store.discussionOf(platform.database.read, access.noteable, discussionId)
  const [presented] = discussion ? await presentAll(platform, access, [discussion]) : []
  if (!presented) throw notFound(noun)
  return presented
}

/** A discussion to be started. */
export type NewDiscussion = {
  body: string
  created_at?: string
  internal?: boolean
  position?: () => Promise<NotePosition>
}

/** The time of a new note; only those who may can set it (contract 16, "Permissions"). */
export function timeOf({ clock }: Platform, { mayBackdate }: NoteAccess, given: string | undefined): string {
  return given !== undefined && mayBackdate ? given : now(clock)
}

/** Starts a thread; `position` resolves the line of a diff, after the body was checked. @throws ApiError 400, 403, 429 */
export async function createDiscussion(
  platform: Platform,
  access: NoteAccess,
  given: NewDiscussion,
): Promise<PresentedDiscussion> {
  const { noteable, actor } = access
  const { body } = given
  requireComment(access)
  await requireNewNote(platform, actor, body)
  const position = (await given.position?.()) ?? null
  const internal = given.internal === true && access.mayReadInternal === true
  const at = timeOf(platform, access, given.created_at)
  const made = { noteable, body, internal, authorId: authorIdOf(actor), at }
  const { discussion, note } = await platform.database.write((tx) =>
    addDiscussion(platform, tx, made, { isIndividual: false, position }),
  )
  return presentDiscussion(discussion, [note], await authorsOf(platform, [note]), access)
}

/** The first note of a discussion. @throws ApiError 404 Discussion when the caller may read none; 400 for a system note */
async function requireReplyable(platform: Platform, access: NoteAccess, discussion: DiscussionRow | null) {
  const notes = discussion ? await store.notesOfDiscussions(platform.database.read, [discussion.id]) : []
  const [first] = await readableNotes(access, notes)
  if (!first) throw notFound('Discussion')
  if (first.system) throw badRequest('Discussion can not be replied to.')
  return first
}

/** Adds a note to a discussion; a single comment becomes a thread. @throws ApiError 404 Discussion, 400, 403, 429 */
export async function replyToDiscussion(
  platform: Platform,
  access: NoteAccess,
  discussionId: string,
  { body, created_at }: { body: string; created_at?: string },
): Promise<PresentedNote> {
  const { database } = platform
  const { noteable, actor } = access
  const { internal } = await requireReplyable(
    platform,
    access,
    await store.discussionOf(database.read, noteable, discussionId),
  )
  requireComment(access)
  await requireNewNote(platform, actor, body)
  const at = timeOf(platform, access, created_at)
  const made = await database.write(async (tx) => {
    const held = await store.lockDiscussion(tx, noteable, discussionId)
    if (!held) throw notFound('Discussion')
    const discussion = held.individual_note ? await store.makeThread(tx, held.id) : held
    const note = await addNote(platform, tx, discussion, { noteable, body, internal, authorId: authorIdOf(actor), at })
    return { discussion, note }
  })
  return presentOne(platform, access, made)
}

/** Resolves a thread of a noteable, or opens it again (contract 19, x.mr_disc_resolve). @throws ApiError 404, 403, 400 */
export async function resolveDiscussion(
  platform: Platform,
  access: NoteAccess,
  discussionId: string,
  isResolved: boolean,
): Promise<PresentedDiscussion> {
  const { database, clock } = platform
  const before = await getDiscussion(platform, access, discussionId)
  requireResolve(access)
  if (!before.notes.some(({ resolvable }) => resolvable)) throw badRequest('Discussion is not resolvable')
  const by = isResolved ? { resolved_at: now(clock), resolved_by_id: authorIdOf(access.actor) } : null
  await database.write(async (tx) => {
    const held = await store.lockDiscussion(tx, access.noteable, discussionId)
    if (!held) throw notFound('Discussion')
    if ((held.resolved_at !== null) === isResolved) return
    await store.setResolved(tx, held.id, by ?? { resolved_at: null, resolved_by_id: null })
  })
  return getDiscussion(platform, access, discussionId)
}

/** Moves the notes of a removed user to the ghost user, or deletes them with `hard` (contract 20 R6). */
export const moveNotes: Reaction<Events['user.removed']> = async (platform, tx, { userId, hard }) => {
  if (hard) await store.deleteNotesOf(tx, userId)
  else if (await store.hasNotes(tx, userId)) await store.giveNotesTo(tx, userId, await ghostUserId(platform, tx))
}
