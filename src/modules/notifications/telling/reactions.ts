import type { Tx } from '../../../infra/database/index.ts'
import { type Events, type Reaction, sendsMail } from '../../../platform/index.ts'
import { mentionsIn, type PlannedChanges } from '../../issuables/index.ts'
import { issueById } from '../../issues/index.ts'
import { mergeRequestById } from '../../merge-requests/index.ts'
import { noteById } from '../../notes/index.ts'
import { usersByUsernames } from '../../users/index.ts'
import type { NotificationEvent } from '../settings/levels.ts'
import type { Happening, Occasion } from './occasion.ts'
import { tell } from './tell.ts'

/** The users whom a text mentions and its former version does not. */
async function mentionedIn(tx: Tx, text: string | null, former: string | null = null): Promise<number[]> {
  const known = new Set(mentionsIn(former ?? ''))
  const names = mentionsIn(text ?? '').filter((name) => !known.has(name))
  return names.length === 0 ? [] : (await usersByUsernames(tx, names)).map(({ id }) => id)
}

type Saved = {
  action: 'open' | 'update' | 'close' | 'reopen'
  former: { description?: string | null }
  planned: PlannedChanges
}
type Part = Pick<Occasion, 'happening' | 'event'> & Partial<Occasion>

const words = { open: 'opened', close: 'closed', reopen: 'reopened' } as const satisfies Record<string, Happening>

type Names = Record<'open' | 'close' | 'reopen' | 'reassign', NotificationEvent>

/** What a change of an issue or a merge request tells; a new one tells of its assignees too. */
async function partsOf(
  tx: Tx,
  { action, former, planned }: Saved,
  description: string | null,
  events: Names,
): Promise<Part[]> {
  const { assignees } = planned
  const added = [...assignees.added]
  if (action === 'open') {
    return [{ happening: 'opened', event: events.open, mentioned: await mentionedIn(tx, description), added }]
  }
  const parts: Part[] = []
  if (action !== 'update') parts.push({ happening: words[action], event: events[action] })
  if (assignees.added.length + assignees.removed.length > 0) {
    parts.push({ happening: 'reassigned', event: events.reassign, added, removed: [...assignees.removed] })
  }
  if (former.description !== undefined) {
    const mentioned = await mentionedIn(tx, description, former.description)
    if (mentioned.length > 0) parts.push({ happening: 'mentioned', event: null, mentioned })
  }
  return parts
}

const ofIssues: Names = {
  open: 'new_issue',
  close: 'close_issue',
  reopen: 'reopen_issue',
  reassign: 'reassign_issue',
}
const ofRequests: Names = {
  open: 'new_merge_request',
  close: 'close_merge_request',
  reopen: 'reopen_merge_request',
  reassign: 'reassign_merge_request',
}

/** Tells of a new or changed issue. */
export const tellIssue: Reaction<Events['issue.saved']> = async (
  platform,
  tx,
  { issueId: id, projectId, ...saved },
) => {
  const row = sendsMail(platform) && (await issueById(tx, id))
  if (!row) return
  const actorId = saved.userId
  for (const part of await partsOf(tx, saved, row.description, ofIssues)) {
    await tell(platform, tx, projectId, { ...part, type: 'Issue', id, actorId })
  }
}

/** Tells of a changed merge request. */
export const tellRequest: Reaction<Events['merge_request.saved']> = async (
  platform,
  tx,
  { mergeRequestId: id, projectId, ...saved },
) => {
  const row = sendsMail(platform) && (await mergeRequestById(tx, id))
  if (!row || saved.action === 'open') return
  const parts = await partsOf(tx, saved, row.description, ofRequests)
  const { added, removed } = saved.planned.reviewers
  if (added.length + removed.length > 0) {
    const event = 'change_reviewer_merge_request'
    parts.push({ happening: 'reviewers changed', event, added: [...added], removed: [...removed] })
  }
  for (const part of parts) {
    await tell(platform, tx, projectId, { ...part, type: 'MergeRequest', id, actorId: saved.userId })
  }
}

/** Tells of a new merge request, and of pushes to one. */
export const tellChangedRequest: Reaction<Events['merge_request.changed']> = async (
  platform,
  tx,
  { mergeRequestId: id, projectId, userId: actorId, sha, previousSha },
) => {
  const row = sendsMail(platform) && (await mergeRequestById(tx, id))
  if (!row || sha === previousSha) return
  const part: Part =
    previousSha === null
      ? { happening: 'opened', event: 'new_merge_request', mentioned: await mentionedIn(tx, row.description) }
      : { happening: 'pushed', event: 'push_to_merge_request' }
  await tell(platform, tx, projectId, { ...part, type: 'MergeRequest', id, actorId })
}

const tellOf =
  (part: Part): Reaction<{ mergeRequestId: number; projectId: number; userId: number | null }> =>
  (platform, tx, { mergeRequestId: id, projectId, userId: actorId }) =>
    tell(platform, tx, projectId, { ...part, type: 'MergeRequest', id, actorId })

export const tellMerged = tellOf({ happening: 'merged', event: 'merge_merge_request' })
export const tellApproved = tellOf({ happening: 'approved', event: 'approver' })
export const tellUnapproved = tellOf({ happening: 'unapproved', event: 'approver' })

/** Tells of a new comment on an issue or a merge request. */
export const tellNote: Reaction<Events['note.created']> = async (
  platform,
  tx,
  { noteId, projectId, type, noteableId: id, userId: actorId, isOfReview = false },
) => {
  if (!sendsMail(platform) || projectId === null || id === null || isOfReview) return
  if (type !== 'Issue' && type !== 'MergeRequest') return
  const note = await noteById(tx, noteId)
  if (!note || note.system) return
  const mentioned = await mentionedIn(tx, note.body)
  await tell(platform, tx, projectId, {
    ...{ happening: 'commented', event: 'new_note', mentioned, noteId },
    ...{ type, id, actorId },
  })
}

/** Tells of the comments of a review at once. */
export const tellReview: Reaction<Events['review.published']> = async (
  platform,
  tx,
  { projectId, type, noteableId: id, userId: actorId, noteIds },
) => {
  if (!sendsMail(platform) || projectId === null || id === null || type !== 'MergeRequest') return
  const names = new Set<string>()
  for (const noteId of noteIds) {
    for (const name of mentionsIn((await noteById(tx, noteId))?.body ?? '')) names.add(name)
  }
  const [noteId] = noteIds
  const mentioned = names.size === 0 ? [] : (await usersByUsernames(tx, [...names])).map((user) => user.id)
  await tell(platform, tx, projectId, {
    ...{ happening: 'reviewed', event: 'new_note', mentioned, type, id, actorId },
    ...(noteId !== undefined && { noteId, reviewNoteIds: [...noteIds] }),
  })
}
