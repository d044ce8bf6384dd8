import type { ContributionMover } from '../users/index.ts'
import { giveStatusesTo, hasStatuses } from './store.ts'

/** Pipelines and statuses of somebody who goes pass to the ghost user; without one they have nobody (contract 20 R6). */
export const movePipelines: ContributionMover = async (tx, { userId, ghostId }) => {
  if (ghostId && (await hasStatuses(tx, userId))) await giveStatusesTo(tx, userId, await ghostId())
}
