import {
  type Actor,
  badRequest,
  invalid,
  recordNotFound,
  refuse,
  requireSignedIn,
  textProblems,
  type Unmodified,
} from '../../api/index.ts'
import { now } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { anyPositionOf, holdMergeRequest, noteAccessOf, type ProjectMergeRequest } from '../merge-requests/index.ts'
import {
  discussionsByIds,
  type GivenAnyPosition,
  holdThread,
  limitNotes,
  longestNote,
  type NoteAccess,
  requireComment,
  threadToAnswer,
} from '../notes/index.ts'
import type { DraftChanges, NewDraft } from './params.ts'
import { DraftNote } from './present.ts'
import * as store from './store.ts'
import type { DraftNoteRow } from './tables.ts'

/** A user has at most so many drafts on one merge request. */
const mostDrafts = 300

/** The drafts of the caller on a merge request. */
export function scopeOf({ row }: ProjectMergeRequest, actor: Actor): store.DraftScope {
  return { mergeRequestId: row.id, authorId: requireSignedIn(actor).userId }
}

/** Presents drafts with the ids of their threads, in one query. */
async function present({ database }: Platform, rows: readonly DraftNoteRow[]) {
  const threads = await discussionsByIds(database.read, [...new Set(rows.flatMap((row) => row.discussion_id ?? []))])
  const ids = new Map(threads.map(({ id, public_id }) => [id, public_id]))
  return rows.map((row) => DraftNote.present({ ...row, threadId: ids.get(row.discussion_id ?? 0) ?? null }))
}

async function presentOne(platform: Platform, row: DraftNoteRow) {
  const [presented] = await present(platform, [row])
  return presented as NonNullable<typeof presented>
}

/** The drafts of the caller on a merge request, oldest first (contract 26.2, x.draft_note_list). */
export async function listDrafts(platform: Platform, found: ProjectMergeRequest, actor: Actor) {
  return present(platform, await store.draftsOf(platform.database.read, scopeOf(found, actor)))
}

/** @throws ApiError 404 for a draft of another author, too (contract 26.2, x.draft_note_get) */
export async function getDraft(platform: Platform, found: ProjectMergeRequest, actor: Actor, id: number) {
  const row = await store.draftOf(platform.database.read, scopeOf(found, actor), id)
  if (!row) throw recordNotFound()
  return presentOne(platform, row)
}

/** The columns of a position. @throws ApiError 400 when it is not in a diff of the merge request */
async function positionColumns(platform: Platform, found: ProjectMergeRequest, given: GivenAnyPosition | undefined) {
  if (!given) return { position: null, line_code: null }
  const coded = await anyPositionOf(platform, found, given)
  if (!coded) throw invalid({ line_code: ["can't be blank"] })
  return { position: JSON.stringify(coded.position), line_code: coded.lineCode }
}

const noThread = () => invalid({ discussion: ['Thread to reply to cannot be found'] })

/** The thread that a draft answers. @throws ApiError 400 when the caller cannot answer it */
async function threadColumn({ database }: Platform, access: NoteAccess, discussionId: string | undefined) {
  if (!discussionId) return null
  const id = await threadToAnswer(database.read, access, discussionId)
  if (id === null) throw noThread()
  return id
}

/** Stores a draft (contract 26.2, x.draft_note_create). @throws ApiError 400, 403, 429 */
export async function createDraft(platform: Platform, found: ProjectMergeRequest, actor: Actor, given: NewDraft) {
  const access = noteAccessOf(found, actor, platform)
  requireComment(access)
  await limitNotes(platform, actor)
  const { note, commit_id, resolve_discussion = false } = given
  refuse({ note: textProblems(note, longestNote) })
  const discussion_id = await threadColumn(platform, access, given.in_reply_to_discussion_id)
  if (resolve_discussion && access.mayResolve !== true) {
    throw invalid({ base: ['User is not allowed to resolve thread'] })
  }
  const position = await positionColumns(platform, found, given.position)
  const scope = scopeOf(found, actor)
  const at = now(platform.clock)
  const row = await platform.database.write(async (tx) => {
    if (discussion_id !== null && !(await holdThread(tx, discussion_id))) throw noThread()
    // Two drafts at once: the second waits for the first, and is counted after it.
    if (!(await holdMergeRequest(tx, scope.mergeRequestId))) throw recordNotFound()
    if ((await store.countDrafts(tx, scope)) >= mostDrafts) {
      throw invalid({ base: [`Draft notes exceed the limit of ${mostDrafts} for a merge request`] })
    }
    return store.insertDraft(tx, {
      ...{ merge_request_id: scope.mergeRequestId, author_id: scope.authorId, note, discussion_id, resolve_discussion },
      ...{ commit_id: commit_id === undefined || ['', 'undefined'].includes(commit_id) ? null : commit_id },
      ...{ ...position, created_at: at, updated_at: at },
    })
  })
  return presentOne(platform, row)
}

/** Changes the text of a draft, or its text and position (contract 26.2, x.draft_note_update). @throws ApiError 400, 403, 404 */
export async function changeDraft(
  platform: Platform,
  found: ProjectMergeRequest,
  actor: Actor,
  { id, note, position }: DraftChanges & { id: number },
) {
  requireComment(noteAccessOf(found, actor, platform))
  const scope = scopeOf(found, actor)
  if (!(await store.draftOf(platform.database.read, scope, id))) throw recordNotFound()
  if (note === undefined) throw badRequest('Missing params to modify')
  refuse({ note: textProblems(note, longestNote) })
  const moved = position && (await positionColumns(platform, found, position))
  const row = await platform.database.write(async (tx) => {
    const [held] = await store.lockDrafts(tx, scope, id)
    return held && store.updateDraftRow(tx, held.id, { note, ...moved, updated_at: now(platform.clock) })
  })
  if (!row) throw recordNotFound()
  return presentOne(platform, row)
}

/** Deletes a draft (contract 26.2, x.draft_note_delete). @throws ApiError 404, 412 */
export async function deleteDraft(
  { database }: Platform,
  found: ProjectMergeRequest,
  actor: Actor,
  { id, unmodified }: { id: number; unmodified: Unmodified },
) {
  const scope = scopeOf(found, actor)
  await database.write(async (tx) => {
    const [held] = await store.lockDrafts(tx, scope, id)
    if (!held) throw recordNotFound()
    await store.removeDrafts(tx, held.id, unmodified)
  })
}
