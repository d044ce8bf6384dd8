import { badRequest, forbidden, type PageRequest, type Unmodified } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { NoteAccess } from '../noteable.ts'
import { authorIdOf, mayChange, readableNotes, requireComment } from './access.ts'
import { resolveDiscussion, timeOf } from './discussions.ts'
import { authorsOf, lockNote, type NoteId, noteIn, presentOne } from './load.ts'
import type { NoteList } from './params.ts'
import { type PresentedCommands, type PresentedNote, presentNote } from './present.ts'
import * as store from './store.ts'
import { addDiscussion, raise, requireBody, requireNewNote } from './write.ts'

/** What the quick actions of a text have done (contract 16, "Quick actions"). */
export type RunCommands = {
  /** The text without the lines of quick actions. */
  body: string
  changes: Record<string, unknown>
  summary: string[]
}

/** A note to be written. @param commands runs the quick actions in the text; null when there are none */
export type GivenNote = {
  body: string
  created_at?: string
  internal?: boolean
  commands?: (body: string) => Promise<RunCommands | null>
}

/** A page of the notes of a noteable; those that the caller may not read are left out after paging. */
export async function listNotes(platform: Platform, access: NoteAccess, list: NoteList, page: PageRequest) {
  const db = platform.database.read
  const found = await store.pageOfNotes(db, access.noteable, list, page)
  const notes = await readableNotes(access, found.items)
  const rows = await store.discussionsByIds(db, [...new Set(notes.map(({ discussion_id }) => discussion_id))])
  const discussions = new Map(rows.map((row) => [row.id, row]))
  const authors = await authorsOf(platform, notes, rows)
  const items = notes.flatMap((note) => {
    const discussion = discussions.get(note.discussion_id)
    return discussion ? [presentNote(note, discussion, authors, access)] : []
  })
  return { ...found, items }
}

/**
 * Writes a single comment, and runs the quick actions in it (contract 16, x.issue_note_create).
 * @returns the note, or what the quick actions have done when the text has nothing else
 * @throws ApiError 400, 403, 429
 */
export async function createNote(
  platform: Platform,
  access: NoteAccess,
  { body, created_at, internal, commands }: GivenNote,
): Promise<{ note: PresentedNote; commands?: never } | { note?: never; commands: PresentedCommands }> {
  const { noteable, actor } = access
  requireComment(access)
  await requireNewNote(platform, actor, body)
  const run = (await commands?.(body)) ?? { body, changes: {}, summary: [] }
  const { changes, summary } = run
  if (run.body.trim() === '') return { commands: { commands_changes: changes, summary } }
  const made = await platform.database.write((tx) =>
    addDiscussion(
      platform,
      tx,
      {
        ...{ noteable, body: run.body, authorId: authorIdOf(actor), at: timeOf(platform, access, created_at) },
        internal: internal === true && access.mayReadInternal === true,
      },
      { isIndividual: true, position: null },
    ),
  )
  return { note: { ...(await presentOne(platform, access, made)), commands_changes: changes } }
}

/** @throws ApiError 404 */
export async function getNote(platform: Platform, access: NoteAccess, id: NoteId): Promise<PresentedNote> {
  return presentOne(platform, access, await noteIn(platform.database.read, access, id))
}

/** Changes the body of a note; without one the note is unchanged. @throws ApiError 404, 403, 400 */
export async function changeNote(platform: Platform, access: NoteAccess, id: NoteId, body: string | undefined) {
  const { database, clock } = platform
  const changed = await database.write(async (tx) => {
    const before = await lockNote(tx, access, id)
    if (!mayChange(access, before.note)) throw forbidden()
    if (body === undefined || body === before.note.body) return before
    requireBody(body)
    const note = await store.updateNote(tx, before.note.id, { body, updated_at: now(clock) })
    await raise(platform, tx, 'note.changed', note)
    return { ...before, note }
  })
  return presentOne(platform, access, changed)
}

/** Resolves the thread of a note, or opens it again (contract 16, x.issue_disc_note_update). @throws ApiError 404, 403, 400 */
export async function resolveNote(platform: Platform, access: NoteAccess, id: NoteId, isResolved: boolean) {
  const { resolvable } = await getNote(platform, access, id)
  if (!resolvable || id.discussionId === undefined) throw badRequest('Note is not resolvable')
  await resolveDiscussion(platform, access, id.discussionId, isResolved)
  return getNote(platform, access, id)
}

/** Deletes a note, and its discussion when it was the last note. @throws ApiError 404, 403, 412 */
export async function removeNote(platform: Platform, access: NoteAccess, id: NoteId, unmodified: Unmodified) {
  await platform.database.write(async (tx) => {
    const { note } = await lockNote(tx, access, id)
    if (!mayChange(access, note)) throw forbidden()
    unmodified(note.updated_at)
    await react(platform, tx, 'note.removing', { noteId: note.id })
    await store.deleteNote(tx, note)
  })
}
