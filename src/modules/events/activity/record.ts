import { now, type Tx } from '../../../infra/database/index.ts'
import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { insertEvents } from '../store.ts'
import { deleteEventsOf, noteForEvent, projectMemberships, requestState, targetOf } from './store.ts'

const tables = { Issue: 'issues', MergeRequest: 'merge_requests' } as const
type Target = keyof typeof tables

/** Records what a user did with an issue or a merge request; nothing when the server did it. */
async function record(platform: Platform, tx: Tx, type: Target, id: number, action: string, userId: number | null) {
  const target = userId === null ? null : await targetOf(tx, tables[type], id)
  if (!target) return
  const { iid, project_id, title } = target
  const event = { target_type: type, target_id: id, target_iid: iid, target_title: title }
  await insertEvents(tx, [{ ...event, project_id, author_id: userId, action, created_at: now(platform.clock) }])
}

export const recordIssue: Reaction<Events['issue.saved']> = async (platform, tx, { issue, userId, before }) => {
  if (before && before.state === issue.state) return
  const action = !before ? 'opened' : issue.state === 'closed' ? 'closed' : 'reopened'
  await record(platform, tx, 'Issue', issue.id, action, userId)
}

export const recordNewRequest: Reaction<Events['merge_request.changed']> = async (platform, tx, changed) => {
  const { mergeRequestId, userId, previousSha } = changed
  if (previousSha === null) await record(platform, tx, 'MergeRequest', mergeRequestId, 'opened', userId)
}

export const recordRequestState: Reaction<Events['merge_request.saved']> = async (platform, tx, saved) => {
  const { mergeRequestId, userId, before } = saved
  const { state } = (await requestState(tx, mergeRequestId)) ?? before
  if (state === before.state || state === 'merged') return
  await record(platform, tx, 'MergeRequest', mergeRequestId, state === 'closed' ? 'closed' : 'reopened', userId)
}

export const recordApproval: Reaction<Events['merge_request.approved']> = (platform, tx, { mergeRequestId, userId }) =>
  record(platform, tx, 'MergeRequest', mergeRequestId, 'approved', userId)

export const recordMerge: Reaction<Events['merge_request.merged']> = (platform, tx, { mergeRequestId, userId }) =>
  record(platform, tx, 'MergeRequest', mergeRequestId, 'accepted', userId)

export const recordNote: Reaction<Events['note.created']> = async (_platform, tx, { noteId, userId, at }) => {
  const note = await noteForEvent(tx, noteId)
  if (!note) return
  const table = note.noteable_type in tables ? tables[note.noteable_type as Target] : null
  const target = table && note.noteable_id !== null ? await targetOf(tx, table, note.noteable_id) : null
  const type = note.position ? 'DiffNote' : note.discussion_note ? 'DiscussionNote' : 'Note'
  const event = { target_type: type, target_id: noteId, target_iid: noteId, target_title: target?.title ?? null }
  await insertEvents(tx, [
    { ...event, project_id: note.project_id, author_id: userId, action: 'commented on', created_at: at },
  ])
}

export const recordNewProject: Reaction<Events['project.created']> = ({ clock }, tx, { projectId, userId }) =>
  insertEvents(tx, [{ project_id: projectId, author_id: userId, action: 'created', created_at: now(clock) }])

const recordMembers =
  (action: 'joined' | 'left'): Reaction<{ memberIds: readonly number[] }> =>
  async ({ clock }, tx, { memberIds }) => {
    const created_at = now(clock)
    const members = await projectMemberships(tx, memberIds)
    await insertEvents(
      tx,
      members.map(({ user_id, project_id }) => ({ project_id, author_id: user_id, action, created_at })),
    )
  }

export const recordNewMembers = recordMembers('joined')
export const recordEndingMembers = recordMembers('left')

export const forgetIssue: Reaction<Events['issue.removed']> = (_platform, tx, { issueId }) =>
  deleteEventsOf(tx, 'Issue', issueId)
