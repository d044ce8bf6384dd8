import type { Events, Reaction } from '../../../platform/index.ts'
import { removeStarsOf } from './store.ts'

/** Removes the stars of a removed user. */
export const removeStars: Reaction<Events['user.removed']> = (_platform, tx, { userId }) => removeStarsOf(tx, userId)
