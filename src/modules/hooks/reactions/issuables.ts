import type { Tx } from '../../../infra/database/index.ts'
import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { issueById } from '../../issues/index.ts'
import { mergeRequestById } from '../../merge-requests/index.ts'
import { fire, fireOneOf } from '../firing/fire.ts'
import { issuePayload } from '../payloads/issue.ts'
import { lastCommitAt, mergeRequestPayload, type SavedMergeRequest } from '../payloads/merge-request.ts'
import { building, namedProject } from '../payloads/parts.ts'

/** Calls hooks for a new or changed issue; those for confidential issues when it is one. */
export const hookIssues: Reaction<Events['issue.saved']> = (platform, tx, { issueId, projectId, ...saved }) =>
  fireOneOf(platform, tx, ['issue', 'confidential_issue'], projectId, async () => {
    const [row, project] = [await issueById(tx, issueId), await namedProject(tx, projectId)]
    if (!row || !project) return null
    const own = async () => issuePayload(await building(platform, tx), project, { ...saved, row })
    return { trigger: row.confidential ? 'confidential_issue' : 'issue', payloads: { own } }
  })

type Saved = Omit<SavedMergeRequest, 'row'> & { mergeRequestId: number; projectId: number }

async function fireRequest(platform: Platform, tx: Tx, { mergeRequestId, projectId, ...saved }: Saved) {
  // The commit is known when the row is read, which happens only when a hook asks for it.
  const completions: ReturnType<typeof lastCommitAt>[] = []
  await fire(
    platform,
    tx,
    { trigger: 'merge_request', projectId },
    {
      completions,
      async own() {
        const [row, project] = [await mergeRequestById(tx, mergeRequestId), await namedProject(tx, projectId)]
        if (!row || !project) return null
        if (completions.length === 0) completions.push(lastCommitAt(['object_attributes', 'last_commit'], row))
        return mergeRequestPayload(await building(platform, tx), project, { ...saved, row })
      },
    },
  )
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
