import { dayOf } from '../../api/index.ts'
import { now, type Reader, type Tx } from '../../infra/database/index.ts'
import type { Events, Platform, Reaction } from '../../platform/index.ts'
import { type MemberRow, membersByIds } from '../access/index.ts'
import { deleteEventsOf, insertEvents } from '../events/index.ts'
import { issueById } from '../issues/index.ts'
import { mergeRequestById } from '../merge-requests/index.ts'
import { discussionsByIds, noteById, noteIdsOf } from '../notes/index.ts'
import { snippetById } from '../snippets/index.ts'
import { noteTypes } from './params.ts'

/** What the title, number and project of an event are taken from, by its type of target. */
const targets = {
  Issue: issueById,
  MergeRequest: mergeRequestById,
}
type Target = keyof typeof targets

/** What the title of an event about a comment is taken from. */
const commented = { ...targets, Snippet: snippetById }

const isCommented = (type: string): type is keyof typeof commented => type in commented

/** Records what a user did with an issue or a merge request; nothing when the server did it. */
async function record(platform: Platform, tx: Tx, type: Target, id: number, action: string, userId: number | null) {
  const target = userId === null ? null : await targets[type](tx, id)
  if (!target) return
  const { iid, project_id, title } = target
  const event = { target_type: type, target_id: id, target_iid: iid, target_title: title }
  await insertEvents(tx, [{ ...event, project_id, author_id: userId, action, created_at: now(platform.clock) }])
}

/** How the API names what was done. Other changes are not recorded. */
const recordedActions = { open: 'opened', close: 'closed', reopen: 'reopened', update: null } as const

export const recordIssue: Reaction<Events['issue.saved']> = async (platform, tx, { issueId, userId, action }) => {
  const recorded = recordedActions[action]
  if (recorded) await record(platform, tx, 'Issue', issueId, recorded, userId)
}

export const recordNewRequest: Reaction<Events['merge_request.changed']> = async (platform, tx, changed) => {
  const { mergeRequestId, userId, previousSha } = changed
  if (previousSha === null) await record(platform, tx, 'MergeRequest', mergeRequestId, 'opened', userId)
}

export const recordRequestState: Reaction<Events['merge_request.saved']> = async (platform, tx, saved) => {
  const recorded = recordedActions[saved.action]
  if (recorded) await record(platform, tx, 'MergeRequest', saved.mergeRequestId, recorded, saved.userId)
}

export const recordApproval: Reaction<Events['merge_request.approved']> = (platform, tx, { mergeRequestId, userId }) =>
  record(platform, tx, 'MergeRequest', mergeRequestId, 'approved', userId)

export const recordMerge: Reaction<Events['merge_request.merged']> = (platform, tx, { mergeRequestId, userId }) =>
  record(platform, tx, 'MergeRequest', mergeRequestId, 'accepted', userId)

/** How the API names a comment: by its position in a diff, or by its thread. */
async function noteType(db: Reader, discussionId: number) {
  const [discussion] = await discussionsByIds(db, [discussionId])
  if (discussion?.position) return 'DiffNote'
  return discussion?.individual_note === false ? 'DiscussionNote' : 'Note'
}

export const recordNote: Reaction<Events['note.created']> = async (_platform, tx, { noteId, userId, at }) => {
  const note = await noteById(tx, noteId)
  if (!note || note.project_id === null) return
  const { noteable_type: type, noteable_id: id } = note
  const target = isCommented(type) && id !== null ? await commented[type](tx, id) : null
  const event = {
    ...{ target_type: await noteType(tx, note.discussion_id), target_id: noteId, target_iid: noteId },
    ...{ target_title: target?.title ?? null, project_id: note.project_id },
  }
  await insertEvents(tx, [{ ...event, author_id: userId, action: 'commented on', created_at: at }])
}

const recordProject = ({ clock }: Platform, tx: Tx, projectId: number, userId: number, action: string) =>
  insertEvents(tx, [{ project_id: projectId, author_id: userId, action, created_at: now(clock) }])

/** An imported project has an event once it is imported. */
export const recordNewProject: Reaction<Events['project.created']> = async (platform, tx, created) => {
  if (!created.isImported) await recordProject(platform, tx, created.projectId, created.userId, 'created')
}

export const recordImportedProject: Reaction<Events['project.imported']> = (platform, tx, { projectId, userId }) =>
  recordProject(platform, tx, projectId, userId, 'imported')

const recordMembers =
  (actionOf: (member: MemberRow, today: string) => string): Reaction<{ memberIds: readonly number[] }> =>
  async ({ clock }, tx, { memberIds }) => {
    const created_at = now(clock)
    const today = dayOf(clock.now())
    const members = (await membersByIds(tx, memberIds)).filter(({ project_id }) => project_id !== null)
    await insertEvents(
      tx,
      members.map((member) => {
        const { user_id: author_id, project_id } = member
        return { project_id, author_id, action: actionOf(member, today), created_at }
      }),
    )
  }

export const recordNewMembers = recordMembers(() => 'joined')
export const recordEndingMembers = recordMembers(({ expires_at: last }, today) =>
  last !== null && last <= today ? 'expired' : 'left',
)

/** Deletes the events about an issue or a merge request that is being deleted, and about its comments. */
async function forget(tx: Tx, type: Target, id: number) {
  await deleteEventsOf(tx, [type], [id])
  await deleteEventsOf(tx, noteTypes, await noteIdsOf(tx, type, [id]))
}

export const forgetIssue: Reaction<Events['issue.removed']> = (_platform, tx, { issueId }) =>
  forget(tx, 'Issue', issueId)

export const forgetRequest: Reaction<Events['merge_request.removing']> = (_platform, tx, { mergeRequestId }) =>
  forget(tx, 'MergeRequest', mergeRequestId)

export const forgetSnippets: Reaction<Events['snippets.removed']> = async (_platform, tx, { snippetIds }) =>
  deleteEventsOf(tx, noteTypes, await noteIdsOf(tx, 'Snippet', snippetIds))

export const forgetNote: Reaction<Events['note.removing']> = (_platform, tx, { noteId }) =>
  deleteEventsOf(tx, noteTypes, [noteId])
