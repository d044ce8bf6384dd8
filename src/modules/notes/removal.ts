import type { ContributionMover } from '../users/index.ts'
import { deleteNotesOf, giveNotesTo, hasNotes } from './store.ts'

/** Notes of somebody who goes pass to the ghost user, or go along (contract 20 R6). */
export const moveNotes: ContributionMover = async (tx, { userId, ghostId }) => {
  if (!ghostId) await deleteNotesOf(tx, userId)
  else if (await hasNotes(tx, userId)) await giveNotesTo(tx, userId, await ghostId())
}
