import type { Events, Reaction } from '../../platform/index.ts'
import { ghostUserId } from '../users/index.ts'
import { changeAuthor } from './store.ts'

/** Moves the releases of a removed user to the ghost user; with `hard`, they remain without an author. */
export const moveReleases: Reaction<Events['user.removed']> = async (platform, tx, { userId, hard }) => {
  await changeAuthor(tx, userId, hard ? null : await ghostUserId(platform, tx))
}
