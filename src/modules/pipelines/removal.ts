import type { Events, Reaction } from '../../platform/index.ts'
import { ghostUserId } from '../users/index.ts'
import { giveStatusesTo, hasStatuses } from './store.ts'

/** Moves the pipelines and statuses of a removed user to the ghost user; with `hard`, they have no user (contract 20 R6). */
export const movePipelines: Reaction<Events['user.removed']> = async (platform, tx, { userId, hard }) => {
  if (!hard && (await hasStatuses(tx, userId))) await giveStatusesTo(tx, userId, await ghostUserId(platform, tx))
}
