import type { ContributionMover } from '../users/index.ts'
import { giveStatusesTo, hasStatuses } from './store.ts'

/** A removed user's pipelines and statuses pass to the ghost user; after a hard deletion they have no author (contract 20 R6). */
export const movePipelines: ContributionMover = async (tx, { userId, ghostId }) => {
  if (ghostId && (await hasStatuses(tx, userId))) await giveStatusesTo(tx, userId, await ghostId())
}
