import {
  type Actor,
  isAdministrator,
  isSentByAdministrator,
  type PageRequest,
  type ParamValues,
  t,
} from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import type { ProjectCommit } from '../../commits/index.ts'
import { authorIdOf } from '../discussions/access.ts'
import { authorsOf } from '../discussions/load.ts'
import { noteBody } from '../discussions/params.ts'
import { type PresentedCommitNote, presentCommitNote } from '../discussions/present.ts'
import { pageOfCommitNotes } from '../discussions/store.ts'
import { addDiscussion, requireNewNote } from '../discussions/write.ts'
import type { NoteAccess, Noteable } from '../noteable.ts'
import { positionOfComment, requireWholeLine } from './position.ts'

/** Parameters of x.commits_comment_create. */
export const newComment = {
  note: t.required(noteBody),
  path: t.string({ description: 'A file that the commit changes.' }),
  line: t.integer({ description: 'Number of the line; required with `path`.' }),
  line_type: t.oneOf(['new', 'old'], { description: 'Whether the line was added or removed; required with `path`.' }),
}
type NewComment = ParamValues<typeof newComment>

/** A commit as a noteable. */
export function noteableCommit({ project, commit }: ProjectCommit): Noteable {
  return { type: 'Commit', projectId: project.id, id: null, commitId: commit.oid, iid: null }
}

/** What a caller may do with the notes of a commit (contract 22, x.commits_discussion_*). */
export function commitNoteAccess(found: ProjectCommit, actor: Actor): NoteAccess {
  const { level } = found.project.role
  const isAdmin = isAdministrator(actor)
  return {
    noteable: noteableCommit(found),
    actor,
    mayModerate: isAdmin || level >= role.maintainer,
    mayBackdate: isSentByAdministrator(actor) || level >= role.owner,
  }
}

/** A page of all notes of a commit, oldest first (contract 22, x.commits_comments). */
export async function listComments(platform: Platform, found: ProjectCommit, page: PageRequest) {
  const notes = await pageOfCommitNotes(platform.database.read, noteableCommit(found), page)
  const authors = await authorsOf(platform, notes.items)
  return { ...notes, items: notes.items.map((note) => presentCommitNote(note, authors)) }
}

/** Comments on a commit, or on a line that it changes (contract 22, x.commits_comment_create). @throws ApiError 400, 429 */
export async function createComment(
  platform: Platform,
  found: ProjectCommit,
  actor: Actor,
  { note: body, path, line, line_type }: NewComment,
): Promise<PresentedCommitNote> {
  const given = { path, line, line_type }
  const hasLine = requireWholeLine(given)
  await requireNewNote(platform, actor, body)
  const position = hasLine ? await positionOfComment(found.opened.repository, found.commit, given) : null
  const made = { noteable: noteableCommit(found), body, authorId: authorIdOf(actor), at: now(platform.clock) }
  const { note } = await platform.database.write((tx) =>
    addDiscussion(platform, tx, made, { isIndividual: position === null, position }),
  )
  return presentCommitNote({ ...note, position }, await authorsOf(platform, [note]))
}
