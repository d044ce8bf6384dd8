import { type Actor, requireSignedIn } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ProjectOrGroup } from '../../projects/index.ts'
import { requireUsableLabel } from '../core/find.ts'
import { labelObject } from '../core/present.ts'
import { deleteSubscription, insertSubscription } from './store.ts'

/**
 * Subscribes the caller to a label that the project or group has or inherits, or unsubscribes them (contract 17,
 * x.label_subscribe).
 * @returns the label, and whether that was a change
 * @throws ApiError 404
 */
export async function setSubscribed(
  platform: Platform,
  parent: ProjectOrGroup,
  actor: Actor,
  key: string,
  subscribed: boolean,
) {
  const { database, clock } = platform
  const { userId } = requireSignedIn(actor)
  return database.write(async (tx) => {
    const row = await requireUsableLabel(tx, parent, key)
    const isChanged = subscribed
      ? await insertSubscription(tx, row.id, userId, now(clock))
      : await deleteSubscription(tx, row.id, userId)
    return { isChanged, label: await labelObject(parent).presentOne(row, { platform, db: tx, parent, actor }) }
  })
}
