import { randomUUID } from 'node:crypto'
import type { Tx } from '../../../infra/database/index.ts'
import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { issueById } from '../../issues/index.ts'
import { mergeRequestById } from '../../merge-requests/index.ts'
import { fire, fireOneOf, storeEvent } from '../firing/fire.ts'
import { issuePayload } from '../payloads/issue.ts'
import { lastCommitAt, mergeRequestPayload, type SavedMergeRequest } from '../payloads/merge-request.ts'
import { building, namedProject } from '../payloads/parts.ts'
import type { Completion } from '../tables.ts'
import { triggers } from '../triggers.ts'

/** Calls hooks for a new or changed issue; those for confidential issues when it is one. */
export const hookIssues: Reaction<Events['issue.saved']> = (platform, tx, { issueId, projectId, ...saved }) =>
  fireOneOf(platform, tx, ['issue', 'confidential_issue'], projectId, async () => {
    const [row, project] = [await issueById(tx, issueId), await namedProject(tx, projectId)]
    if (!row || !project) return null
    const own = async () => issuePayload(await building(platform, tx), project, { ...saved, row })
    return { trigger: row.confidential ? 'confidential_issue' : 'issue', payloads: { own } }
  })

/** What happened to a merge request. */
export type SavedRequest = Omit<SavedMergeRequest, 'row'> & { mergeRequestId: number; projectId: number }

/** What is sent about a merge request, and the commit that it shows; null when it is gone. */
async function requestEvent(platform: Platform, tx: Tx, { mergeRequestId, projectId, ...saved }: SavedRequest) {
  const [row, project] = [await mergeRequestById(tx, mergeRequestId), await namedProject(tx, projectId)]
  if (!row || !project) return null
  return {
    payload: await mergeRequestPayload(await building(platform, tx), project, { ...saved, row }),
    completion: lastCommitAt(['object_attributes', 'last_commit'], row),
  }
}

async function fireRequest(platform: Platform, tx: Tx, saved: SavedRequest) {
  // The commit is known when the row is read, which happens only when a hook asks for it.
  const completions: Completion[] = []
  await fire(
    platform,
    tx,
    { trigger: 'merge_request', projectId: saved.projectId },
    {
      completions,
      async own() {
        const event = await requestEvent(platform, tx, saved)
        if (event && completions.length === 0) completions.push(event.completion)
        return event?.payload ?? null
      },
    },
  )
}

/**
 * Stores what hooks are sent about a merge request, for receivers that are no hooks (contract 24, Status checks). It is deleted after
 * a week, as all events.
 * @returns the id of the event; null when the merge request is gone
 */
export async function storeRequestEvent(platform: Platform, tx: Tx, saved: SavedRequest): Promise<number | null> {
  const event = await requestEvent(platform, tx, saved)
  if (!event) return null
  const { header, logged: trigger_name } = triggers.merge_request
  return storeEvent(platform, tx, { uuid: randomUUID(), header, trigger_name }, event.payload, [event.completion])
}

/** A merge request was created, or its source branch was pushed to. */
export const hookChangedRequests: Reaction<Events['merge_request.changed']> = async (
  platform,
  tx,
  { mergeRequestId, projectId, userId, sha, previousSha },
) => {
  const pushed = previousSha === null || previousSha === sha ? {} : { oldrev: previousSha }
  const action = previousSha === null ? 'open' : 'update'
  await fireRequest(platform, tx, { mergeRequestId, projectId, userId, action, ...pushed })
}

/** A user has changed a merge request. */
export const hookSavedRequests: Reaction<Events['merge_request.saved']> = fireRequest

const withAction =
  (
    action: SavedMergeRequest['action'],
  ): Reaction<{ mergeRequestId: number; projectId: number; userId: number | null }> =>
  (platform, tx, { mergeRequestId, projectId, userId }) =>
    fireRequest(platform, tx, { mergeRequestId, projectId, userId, action })

export const hookMergedRequests = withAction('merge')
export const hookApprovedRequests = withAction('approved')
export const hookUnapprovedRequests = withAction('unapproved')
