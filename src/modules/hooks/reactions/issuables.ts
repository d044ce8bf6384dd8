import type { Tx } from '../../../infra/database/index.ts'
import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { mergeRequestById } from '../../merge-requests/index.ts'
import { fire } from '../firing/fire.ts'
import { issuePayload } from '../payloads/issue.ts'
import { lastCommitAt, mergeRequestPayload, type SavedMergeRequest } from '../payloads/merge-request.ts'
import { building, namedProject } from '../payloads/parts.ts'

/** Calls hooks for a new or changed issue; those for confidential issues when it is one. */
export const hookIssues: Reaction<Events['issue.saved']> = async (platform, tx, { issue, userId, before, planned }) => {
  const trigger = issue.confidential ? 'confidential_issue' : 'issue'
  await fire(
    platform,
    tx,
    { trigger, projectId: issue.project_id },
    {
      async own() {
        const project = await namedProject(tx, issue.project_id)
        const saved = { row: issue, before, planned, userId }
        return project && issuePayload(await building(platform, tx), project, saved)
      },
    },
  )
}

type Saved = Omit<SavedMergeRequest, 'row' | 'action'> & {
  mergeRequestId: number
  projectId: number
  action: SavedMergeRequest['action'] | ((state: string) => SavedMergeRequest['action'])
}

async function fireRequest(platform: Platform, tx: Tx, { mergeRequestId, projectId, action, ...saved }: Saved) {
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
        const chosen = typeof action === 'function' ? action(row.state) : action
        return mergeRequestPayload(await building(platform, tx), project, { ...saved, row, action: chosen })
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
export const hookSavedRequests: Reaction<Events['merge_request.saved']> = (
  platform,
  tx,
  { mergeRequestId, userId, before, planned },
) => {
  const action = (state: string) => (before.state === state ? 'update' : state === 'closed' ? 'close' : 'reopen')
  return fireRequest(platform, tx, { mergeRequestId, projectId: before.project_id, userId, before, planned, action })
}

const withAction =
  (
    action: SavedMergeRequest['action'],
  ): Reaction<{ mergeRequestId: number; projectId: number; userId: number | null }> =>
  (platform, tx, { mergeRequestId, projectId, userId }) =>
    fireRequest(platform, tx, { mergeRequestId, projectId, userId, action })

export const hookMergedRequests = withAction('merge')
export const hookApprovedRequests = withAction('approved')
export const hookUnapprovedRequests = withAction('unapproved')
