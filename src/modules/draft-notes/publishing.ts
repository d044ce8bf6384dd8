import { type Actor, recordNotFound } from '../../api/index.ts'
import type { Tx } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { planCommands, separateCommands, tryCommands } from '../issuables/index.ts'
import {
  approve,
  markReviewed,
  mergeRequestCommands,
  noteAccessOf,
  type ProjectMergeRequest,
} from '../merge-requests/index.ts'
import { addReviewNotes, type ReviewNote, requireComment } from '../notes/index.ts'
import { scopeOf } from './drafts.ts'
import type { Submission } from './params.ts'
import * as store from './store.ts'
import type { DraftNoteRow } from './tables.ts'

type Given = Pick<DraftNoteRow, 'note' | 'discussion_id' | 'position' | 'resolve_discussion'>

const commandsIn = (note: string) => separateCommands(mergeRequestCommands, note)

/** A draft as a note, without its quick actions. */
const reviewNoteOf = ({ note, discussion_id, position, resolve_discussion }: Given): ReviewNote => ({
  ...{ body: commandsIn(note).body.trim() === '' ? '' : commandsIn(note).body },
  ...{ threadId: discussion_id, position, resolves: resolve_discussion },
})

const commentOf = (note: string | undefined): Given[] =>
  note === undefined || note.trim() === ''
    ? []
    : [{ note, discussion_id: null, position: null, resolve_discussion: false }]

/** Reads the arguments of the quick actions in texts, before anything is published. @throws ApiError 400 */
async function requireCommands(
  platform: Platform,
  subject: ProjectMergeRequest,
  actor: Actor,
  drafts: readonly Given[],
) {
  for (const { note } of drafts) {
    const { commands } = commandsIn(note)
    if (commands.length > 0)
      await planCommands(platform, mergeRequestCommands, { subject, actor, params: {} }, commands)
  }
}

/** Runs the quick actions in published texts, in order; those that fail now are ignored. */
async function runCommands(platform: Platform, subject: ProjectMergeRequest, actor: Actor, drafts: readonly Given[]) {
  for (const { note } of drafts) {
    const { commands } = commandsIn(note)
    await tryCommands(platform, mergeRequestCommands, { subject, actor, params: {} }, commands)
  }
}

/** Publishes one draft (contract 26.2 R2, x.draft_note_publish). @throws ApiError 400, 403, 404 */
export async function publishDraft(platform: Platform, found: ProjectMergeRequest, actor: Actor, id: number) {
  const { database } = platform
  const [scope, access] = [scopeOf(found, actor), noteAccessOf(found, actor, platform)]
  const draft = await store.draftOf(database.read, scope, id)
  if (!draft) throw recordNotFound()
  requireComment(access)
  await requireCommands(platform, found, actor, [draft])
  const published = await database.write(async (tx) => {
    const drafts = await store.lockDrafts(tx, scope, id)
    if (drafts.length === 0) throw recordNotFound()
    await addReviewNotes(platform, tx, access, { notes: drafts.map(reviewNoteOf), isTold: false })
    await store.removeDrafts(tx, id)
    return drafts
  })
  await runCommands(platform, found, actor, published)
}

/** Writes the notes of a review, in place of the drafts. @returns the drafts and the comment that were published */
async function publishAll(
  platform: Platform,
  tx: Tx,
  { found, actor, comment }: { found: ProjectMergeRequest; actor: Actor; comment: readonly Given[] },
): Promise<readonly Given[]> {
  const scope = scopeOf(found, actor)
  const drafts = await store.lockDrafts(tx, scope)
  const all: readonly Given[] = [...drafts, ...comment]
  if (all.length === 0) return []
  const access = noteAccessOf(found, actor, platform)
  await addReviewNotes(platform, tx, access, { notes: all.map(reviewNoteOf), isTold: true })
  await store.removeDrafts(
    tx,
    drafts.map(({ id }) => id),
  )
  await markReviewed(tx, scope.mergeRequestId, scope.authorId)
  return all
}

/**
 * Publishes all drafts of the caller on a merge request at once, with a comment, and approves where that is asked for (contract 26.2 R2,
 * x.draft_note_bulk_publish).
 * @throws ApiError 400 and 403, and as approving; nothing is published then
 */
export async function publishDrafts(
  platform: Platform,
  found: ProjectMergeRequest,
  actor: Actor,
  { note, approve: approves = false, ...approval }: Submission & { ip: string },
) {
  const { database } = platform
  requireComment(noteAccessOf(found, actor, platform))
  const comment = commentOf(note)
  const drafts = await store.draftsOf(database.read, scopeOf(found, actor))
  await requireCommands(platform, found, actor, [...drafts, ...comment])
  if (approves) await approve(platform, found, actor, approval)
  const published = await database.write((tx) => publishAll(platform, tx, { found, actor, comment }))
  await runCommands(platform, found, actor, published)
}
