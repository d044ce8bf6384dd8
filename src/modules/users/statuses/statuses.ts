import { type Actor, lengthProblems, refuse, requireSignedIn } from '../../../api/index.ts'
import { acquireLock, now, type Reader } from '../../../infra/database/index.ts'
import { emojiName } from '../../../infra/emoji/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { requireVisibleUser } from '../directory/lookup.ts'
import type { UserStatusRow } from '../tables.ts'
import { periodsMs, type StatusParams } from './params.ts'
import { presentStatus } from './present.ts'
import { putStatus, statusOf } from './store.ts'

const longestMessage = 100
const defaultEmoji = 'speech_balloon'

/** The status of a user as long as it is to be shown. */
async function currentStatus({ clock }: Platform, db: Reader, userId: number): Promise<UserStatusRow | null> {
  const row = await statusOf(db, userId)
  return row?.clear_status_at && row.clear_status_at <= now(clock) ? null : row
}

/** The status of the caller (contract 20, x.user_status_get). */
export async function getOwnStatus(platform: Platform, actor: Actor) {
  const { userId } = requireSignedIn(actor)
  return presentStatus(await currentStatus(platform, platform.database.read, userId))
}

/** The status of a user, by id or username (contract 20, x.users_status_get). @throws ApiError 404 */
export async function getStatus(platform: Platform, user: string, actor: Actor) {
  const { read } = platform.database
  const { id } = await requireVisibleUser(platform, user, actor)
  return presentStatus(await currentStatus(platform, read, id))
}

/** @throws ApiError 400 */
function requireValid({ emoji, message = '' }: StatusParams): void {
  refuse({
    emoji: emoji && emojiName(emoji) === null ? ['is not a valid emoji name'] : [],
    message: lengthProblems(message, longestMessage),
  })
}

/**
 * Sets the status of the caller (contract 20, x.user_status_put, x.user_status_patch).
 * @param omitted what becomes of members without a parameter
 * @throws ApiError 400
 */
export async function setStatus(platform: Platform, actor: Actor, params: StatusParams, omitted: 'cleared' | 'kept') {
  const { userId } = requireSignedIn(actor)
  const { clock, database } = platform
  requireValid(params)
  const period = params.clear_status_after === undefined ? undefined : periodsMs[params.clear_status_after]
  const end = period === undefined ? undefined : new Date(clock.now().getTime() + period).toISOString()
  const row = await database.write(async (tx) => {
    // Otherwise concurrent changes of parts would undo each other.
    await acquireLock(tx, `users.status.${userId}`)
    const before = omitted === 'kept' ? await currentStatus(platform, tx, userId) : null
    const emoji = params.emoji ?? before?.emoji ?? ''
    const changed: UserStatusRow = {
      user_id: userId,
      emoji: emojiName(emoji) ?? defaultEmoji,
      message: (params.message ?? before?.message) || null,
      availability: params.availability ?? before?.availability ?? null,
      clear_status_at: end ?? before?.clear_status_at ?? null,
    }
    await putStatus(tx, changed)
    return changed
  })
  return presentStatus(row)
}
