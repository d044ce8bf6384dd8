import { badRequest } from '../../../api/index.ts'
import { now, type Reader, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { authorIdOf, readableNotes, requireComment } from '../discussions/access.ts'
import { discussionOf, makeThread, setResolved } from '../discussions/store.ts'
import { addDiscussion, addNote, requireBody } from '../discussions/write.ts'
import type { NoteAccess } from '../noteable.ts'
import type { DiscussionRow, NotePosition } from '../tables.ts'
import { lockDiscussions, threadsByIds } from './store.ts'

/** A note of a review. */
export type ReviewNote = {
  body: string
  /** The thread that it answers. */
  threadId: number | null
  /** Where a thread starts that answers none. */
  position: NotePosition | null
  /** Whether its thread is resolved. */
  resolves: boolean
}

/** By their ids, those of these threads that the caller may answer, and whether only members read them. */
async function answerable(db: Reader, access: NoteAccess, ids: readonly number[]) {
  const first = await readableNotes(access, await threadsByIds(db, ids))
  return new Map(first.flatMap((note) => (note.system ? [] : [[note.discussion_id, note.internal] as const])))
}

/** The id of a thread that the caller may answer; null when there is none. */
export async function threadToAnswer(db: Reader, access: NoteAccess, discussionId: string): Promise<number | null> {
  const discussion = await discussionOf(db, access.noteable, discussionId)
  if (!discussion) return null
  return (await answerable(db, access, [discussion.id])).has(discussion.id) ? discussion.id : null
}

/** Whether a thread is still there, with a lock until the transaction ends. */
export const holdThread = async (tx: Tx, id: number): Promise<boolean> => (await lockDiscussions(tx, [id])).has(id)

/** Where and when the notes of a review are written. */
type Writing = { platform: Platform; tx: Tx; access: NoteAccess; at: string; isOfReview: boolean }

/** Resolves a thread, or opens it again, where the caller may. @returns it as it is then */
async function settle({ tx, access, at }: Writing, thread: DiscussionRow, resolves: boolean): Promise<DiscussionRow> {
  const { id, resolved_at, individual_note: isComment } = thread
  if (isComment || access.mayResolve !== true || resolves === (resolved_at !== null)) return thread
  const by = resolves ? { resolved_at: at, resolved_by_id: authorIdOf(access.actor) } : null
  const resolution = by ?? { resolved_at: null, resolved_by_id: null }
  await setResolved(tx, id, resolution)
  return { ...thread, ...resolution }
}

const newNote = ({ access: { noteable, actor }, at, isOfReview }: Writing, body: string) => ({
  ...{ noteable, body, authorId: authorIdOf(actor), at, isOfReview },
})

/**
 * Writes a note into a thread.
 * @param internal whether only members read the thread: the note has an event of its own
 * @returns the thread as it is then, and the id of the note where the event of the review names it
 */
async function answer(writing: Writing, thread: DiscussionRow, { body, resolves }: ReviewNote, internal: boolean) {
  const { platform, tx } = writing
  if (body === '') return { thread: await settle(writing, thread, resolves), noteId: null }
  const discussion = thread.individual_note ? await makeThread(tx, thread.id) : thread
  const isOfReview = writing.isOfReview && !internal
  const note = await addNote(platform, tx, discussion, { ...newNote(writing, body), internal, isOfReview })
  return { thread: await settle(writing, discussion, resolves), noteId: isOfReview ? note.id : null }
}

/** Starts a thread, or writes a single comment. @returns the id of the note */
async function start(writing: Writing, { body, position, resolves }: ReviewNote): Promise<number | null> {
  if (body === '') return null
  const { platform, tx } = writing
  const isIndividual = position === null && !resolves
  const { discussion, note } = await addDiscussion(platform, tx, newNote(writing, body), { isIndividual, position })
  await settle(writing, discussion, resolves)
  return note.id
}

/**
 * Writes the notes of a review in order (contract 26.2 R2). Those with an empty text only resolve their threads.
 * @param isTold whether one event of a review names them
 * @throws ApiError 403 while the caller may not comment; 400 for a thread that they may not read
 */
export async function addReviewNotes(
  platform: Platform,
  tx: Tx,
  access: NoteAccess,
  { notes, isTold }: { notes: readonly ReviewNote[]; isTold: boolean },
): Promise<void> {
  requireComment(access)
  const writing: Writing = { platform, tx, access, at: now(platform.clock), isOfReview: isTold }
  const answered = [...new Set(notes.flatMap(({ threadId }) => threadId ?? []))]
  const threads = await lockDiscussions(tx, answered)
  const isInternal = await answerable(tx, access, answered)
  const written: (number | null)[] = []
  for (const note of notes) {
    if (note.body !== '') requireBody(note.body)
    if (note.threadId === null) {
      written.push(await start(writing, note))
      continue
    }
    const [found, internal] = [threads.get(note.threadId), isInternal.get(note.threadId)]
    if (!found || internal === undefined) throw badRequest('Thread to reply to cannot be found')
    const { thread, noteId } = await answer(writing, found, note, internal)
    threads.set(thread.id, thread)
    written.push(noteId)
  }
  const noteIds = written.filter((id) => id !== null)
  const { type, projectId, id: noteableId } = access.noteable
  const userId = authorIdOf(access.actor)
  if (!isTold || noteIds.length === 0) return
  await react(platform, tx, 'review.published', { projectId, type, noteableId, userId, noteIds })
}
