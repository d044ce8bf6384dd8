import type { Tx } from '../infra/database/index.ts'
import type { Events, Platform, Reaction } from './platform.ts'

/**
 * Runs everything that follows an event, in the order of `reactions.ts`, in the caller's transaction.
 * @param payload ids, and values that can no longer be read: each reaction reads what else it needs
 */
export async function react<K extends keyof Events>(
  platform: Platform,
  tx: Tx,
  event: K,
  payload: Events[K],
): Promise<void> {
  const reactions = platform.reactions[event] as readonly Reaction<Events[K]>[]
  for (const reaction of reactions) await reaction(platform, tx, payload)
}
