import type { Events, Reaction } from '../../../platform/index.ts'
import { ghostUserId } from '../../users/index.ts'
import { giveNotesTo, hasNotes } from './store.ts'

/** Moves the activity of a removed user to the ghost user. */
export const moveAlertNotes: Reaction<Events['user.removed']> = async (platform, tx, { userId }) => {
  if (await hasNotes(tx, userId)) await giveNotesTo(tx, userId, await ghostUserId(platform, tx))
}
