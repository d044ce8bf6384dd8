import { type Events, type Reaction, react } from '../../platform/index.ts'
import { deleteIssuable } from '../issuables/index.ts'
import { ghostUserId } from '../users/index.ts'
import * as store from './closing/store.ts'
import { deleteMergeRequest } from './core/store.ts'
import { issuableOf } from './subject.ts'

/** Gives the merge requests of a removed user to the ghost user, or deletes those that they wrote (contract 20 R6). */
export const moveMergeRequests: Reaction<Events['user.removed']> = async (platform, tx, { userId, hard }) => {
  while (hard) {
    const rows = await store.requestsWrittenBy(tx, userId)
    if (rows.length === 0) break
    for (const row of rows) {
      await react(platform, tx, 'merge_request.removing', { mergeRequestId: row.id })
      await deleteIssuable(tx, issuableOf(row))
      await deleteMergeRequest(tx, row.id)
    }
  }
  if (await store.hasRequests(tx, userId)) await store.giveRequestsTo(tx, userId, await ghostUserId(platform, tx))
}

/** Merge requests have the milestone that replaces others (contract 17, x.milestone_promote and "Rules"). */
export const mergeMilestonesOfRequests: Reaction<Events['milestones.merged']> = (_platform, tx, merged) =>
  store.replaceMilestones(tx, merged.milestoneIds, merged.intoId, merged.projectId)

/** Takes a milestone that is deleted off its merge requests (contract 17, x.milestone_delete). */
export const dropMilestoneOfRequests: Reaction<Events['milestone.removed']> = (_platform, tx, { milestoneId }) =>
  store.replaceMilestones(tx, [milestoneId], null)
