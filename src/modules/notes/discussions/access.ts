import { type Actor, forbidden } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { NoteAccess } from '../noteable.ts'
import type { NoteRow } from '../tables.ts'
import { noteOf } from './store.ts'

/** @throws ApiError 403 for a caller that is no user */
export function authorIdOf(actor: Actor): number {
  if (actor.kind !== 'user') throw forbidden()
  return actor.userId
}

/** @throws ApiError 403 while the discussion is locked for the caller (contract 16, "Permissions") */
export function requireComment({ mayComment = true }: NoteAccess): void {
  if (!mayComment) throw forbidden()
}

/** @throws ApiError 403 for callers who may not resolve threads of the noteable */
export function requireResolve({ mayResolve }: NoteAccess): void {
  if (!mayResolve) throw forbidden()
}

const isOwn = ({ actor }: NoteAccess, { author_id }: Pick<NoteRow, 'author_id'>) =>
  actor.kind === 'user' && actor.userId === author_id

/** Whether the caller may change and delete a note. */
export function mayChange(access: NoteAccess, note: NoteRow): boolean {
  return !note.system && (access.mayModerate || isOwn(access, note))
}

/** @param noteId without it, the notes of others are asked about @throws ApiError 403 unless the caller may change the note */
export async function requireChange(db: Reader, access: NoteAccess, noteId: number | undefined): Promise<void> {
  if (access.mayModerate) return
  const note = noteId === undefined ? null : await noteOf(db, access.noteable, noteId)
  if (!note || !mayChange(access, note)) throw forbidden()
}

/** The notes that the caller may read: not the internal ones, nor system notes about what they may not read. */
export async function readableNotes<Note extends NoteRow>(access: NoteAccess, notes: readonly Note[]): Promise<Note[]> {
  const open = notes.filter((note) => !note.internal || access.mayReadInternal || isOwn(access, note))
  const systemIds = open.filter(({ system }) => system).map(({ id }) => id)
  if (systemIds.length === 0 || !access.unreadableAmong) return open
  const hidden = await access.unreadableAmong(systemIds)
  return open.filter(({ id }) => !hidden.has(id))
}
