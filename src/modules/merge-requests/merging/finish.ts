import { now, type Tx } from '../../../infra/database/index.ts'
import type { Oid, Repository } from '../../../infra/git/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { recordStateChange } from '../../issuables/index.ts'
import { markTodosDone } from '../../notes/index.ts'
import { holdMergeRequest, updateMergeRequest } from '../core/store.ts'
import { issuableOf } from '../subject.ts'
import type { MergeRequestRow } from '../tables.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    /** A merge request was merged, by a user or by hand. */
    'merge_request.merged': { mergeRequestId: number; projectId: number; userId: number | null; at: string }
  }
}

/** A merge request whose target contains its head now. */
export type Finished = {
  row: MergeRequestRow
  /** The merger, or the pusher; null when their account is gone. */
  userId?: number | null
  mergeCommit: string | null
  squashCommit: string | null
  /** Whether a push brought the commits into the target, and no merge of the request. */
  isByHand: boolean
}

/** A request that was merged outside of the server. The target's head is shown as its merge commit when it is one. */
export async function mergedByHand(
  repository: Repository,
  row: MergeRequestRow,
  head: Oid,
  tip: Oid,
): Promise<Finished> {
  const commit = (await repository.commits([tip])).get(tip)
  const isMerge = commit !== undefined && commit.parentOids.length > 1 && commit.parentOids.includes(head)
  return { row, mergeCommit: isMerge ? tip : null, squashCommit: null, isByHand: true }
}

/**
 * Marks a request as merged, with its event (contract 19, "Merge step", 6; 18). In the transaction that records the new head
 * of the target branch, so that neither is without the other.
 */
export async function finishMerge(platform: Platform, tx: Tx, finished: Finished): Promise<void> {
  const { mergeCommit, squashCommit, userId = null, isByHand } = finished
  const held = await holdMergeRequest(tx, finished.row.id)
  // Another process may have opened a request again whose merge it took for interrupted.
  const isExpected = held?.state === 'opened' || (held?.state === 'locked' && !isByHand)
  if (!held || !isExpected) return
  const at = now(platform.clock)
  const row = await updateMergeRequest(tx, held.id, {
    ...{ state: 'merged', merged_at: at, merge_user_id: userId, updated_at: at },
    ...{ merge_commit_sha: mergeCommit, squash_commit_sha: squashCommit, auto_merge: null, merge_error: null },
  })
  const target = issuableOf(row)
  if (userId !== null) {
    await recordStateChange(tx, [target], { state: 'merged' }, { userId, at })
    await markTodosDone(platform, tx, target, userId)
  }
  const merged = { mergeRequestId: row.id, projectId: row.project_id, userId, at }
  await react(platform, tx, 'merge_request.merged', merged)
}
