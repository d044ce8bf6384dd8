import { now } from '../../infra/database/index.ts'
import { type Events, type Reaction, react } from '../../platform/index.ts'
import { deleteIssuable, recordIterationChange } from '../issuables/index.ts'
import { unusableIterations } from '../iterations/index.ts'
import { projectById } from '../projects/index.ts'
import { automationUserId, ghostUserId } from '../users/index.ts'
import { issuableOf, refOf } from './core/access.ts'
import { deleteIssueRow } from './core/store.ts'
import * as store from './store.ts'

/**
 * Gives the issues of a removed user to the ghost user, or deletes those that they wrote (contract 16, "Rules"; 20 R6).
 * Their assignments are deleted with the user.
 */
export const moveIssues: Reaction<Events['user.removed']> = async (platform, tx, { userId, hard }) => {
  if (hard) {
    for (
      let rows = await store.issuesWrittenBy(tx, userId);
      rows.length > 0;
      rows = await store.issuesWrittenBy(tx, userId)
    ) {
      for (const row of rows) {
        await react(platform, tx, 'issue.removed', { issueId: row.id })
        await deleteIssuable(tx, issuableOf(row))
        await deleteIssueRow(tx, row.id)
      }
    }
  }
  if (await store.hasIssues(tx, userId)) await store.giveIssuesTo(tx, userId, await ghostUserId(platform, tx))
}

/** Takes a milestone that is deleted off its issues; that is no change of the issues (contract 17, x.milestone_delete). */
export const dropMilestone: Reaction<Events['milestone.removed']> = (_platform, tx, { milestoneId }) =>
  store.replacePlan(tx, 'milestone_id', [milestoneId], null)

/** Issues have the milestone that replaces others (contract 17, x.milestone_promote and "Rules"). */
export const mergeMilestones: Reaction<Events['milestones.merged']> = (_platform, tx, merged) =>
  store.replacePlan(tx, 'milestone_id', merged.milestoneIds, merged.intoId, merged.projectId)

/** Takes iterations that are deleted off their issues (contract 17, x.iteration_delete). */
export const dropIterations: Reaction<Events['iterations.removed']> = (_platform, tx, { iterationIds }) =>
  store.replacePlan(tx, 'iteration_id', iterationIds, null)

/** Moves the open issues of an iteration that has ended to the next one, as the automation user (contract 17, "Rules"). */
export const rollOverIssues: Reaction<Events['iteration.closed']> = async (
  platform,
  tx,
  { iterationId, nextIterationId },
) => {
  if (nextIterationId === null) return
  const moved = await store.rollOver(tx, iterationId, nextIterationId)
  if (moved.length === 0) return
  const origin = { userId: await automationUserId(platform, tx), at: now(platform.clock) }
  await recordIterationChange(tx, moved.map(refOf), { from: iterationId, to: nextIterationId }, origin)
}

/** Takes iterations that a moved project can no longer have off its issues (contract 17, "Rules"). */
export const dropUnusableIterations: Reaction<Events['project.moved']> = async (_platform, tx, { projectId }) => {
  const project = await projectById(tx, projectId)
  if (!project) return
  const iterations = await store.plansInUse(tx, projectId, 'iteration_id')
  const unusable = await unusableIterations(tx, project.namespace_id, iterations)
  await store.dropIterations(tx, projectId, unusable)
}

/** A note changes the issue that it is about (contract 16, "Rules"). */
export const touchNoted: Reaction<Events['note.created']> = async (_platform, tx, { type, noteableId, at }) => {
  if (type === 'Issue' && noteableId !== null) await store.touchIssue(tx, noteableId, at)
}

/** Spent time and the like change the issue that they belong to. */
export const touchChanged: Reaction<Events['issuable.changed']> = async (_platform, tx, { type, id, at }) => {
  if (type === 'Issue') await store.touchIssue(tx, id, at)
}
