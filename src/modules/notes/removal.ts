import type { Events, Reaction } from '../../platform/index.ts'
import { ghostUserId } from '../users/index.ts'
import { deleteNotesOf, giveNotesTo, hasNotes } from './discussions/store.ts'

/** Moves the notes of a removed user to the ghost user, or deletes them with `hard` (contract 20 R6). */
export const moveNotes: Reaction<Events['user.removed']> = async (platform, tx, { userId, hard }) => {
  if (hard) await deleteNotesOf(tx, userId)
  else if (await hasNotes(tx, userId)) await giveNotesTo(tx, userId, await ghostUserId(platform, tx))
}
