import { type Actor, failure, forms, requireSignedIn, type Static, Type } from '../../api/index.ts'
import { now, type Reader } from '../../infra/database/index.ts'
import { randomDigits } from '../../infra/secrets/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import { requireUser } from '../users/index.ts'
import { deletePin, putPin, validPin } from './store.ts'

/** A PIN, by which a user identifies themselves to support (contract 26.11). */
export const SupportPin = Type.Object({ pin: Type.String(), expires_at: forms.timestamp }, { title: 'SupportPin' })
type PresentedPin = Static<typeof SupportPin>

const digits = 6
const lifetimeMs = 7 * 86_400_000

/** What a PIN is sealed for. */
const contextOf = (userId: number) => `support pin of user ${userId}`

/** Gives the caller a new PIN; the one before is not valid any more (contract 26, x.support_pin_create). */
export async function createPin({ database, secrets, clock }: Platform, actor: Actor): Promise<PresentedPin> {
  const { userId } = requireSignedIn(actor)
  const pin = randomDigits(digits)
  const sealed_pin = (await secrets.sealer()).seal(pin, contextOf(userId))
  const expires_at = new Date(clock.now().getTime() + lifetimeMs).toISOString()
  await database.write((tx) => putPin(tx, { user_id: userId, sealed_pin, expires_at }))
  return { pin, expires_at }
}

/** @throws ApiError 404 where the user has none, or it has expired */
async function readPin({ secrets, clock }: Platform, db: Reader, userId: number): Promise<PresentedPin> {
  const sealer = await secrets.sealer()
  const row = await validPin(db, userId, now(clock))
  if (!row) throw failure(404, '404 Support PIN not found or expired')
  return { pin: sealer.open(row.sealed_pin, contextOf(userId)), expires_at: row.expires_at }
}

/** The PIN of the caller (contract 26, x.support_pin_get). @throws ApiError 404 */
export const getOwnPin = (platform: Platform, actor: Actor): Promise<PresentedPin> =>
  readPin(platform, platform.database.read, requireSignedIn(actor).userId)

/** The PIN of a user, for an administrator; it is recorded (contract 26, x.users_support_pin_get). @throws ApiError 404 */
export async function getPinOf(platform: Platform, id: number, act: Act): Promise<PresentedPin> {
  const { database, secrets } = platform
  // Loaded here, since a transaction does not wait for files.
  await secrets.sealer()
  return database.write(async (tx) => {
    const user = await requireUser(tx, id)
    const pin = await readPin(platform, tx, user.id)
    await act(tx)
    return pin
  })
}

/** Ends the PIN of a user (contract 26, x.users_support_pin_revoke). @throws ApiError 404 */
export async function revokePinOf({ database, clock }: Platform, id: number, act: Act): Promise<void> {
  await database.write(async (tx) => {
    const user = await requireUser(tx, id)
    if (!(await deletePin(tx, user.id, now(clock)))) {
      throw failure(404, '404 Support PIN not found or already expired')
    }
    await act(tx)
  })
}
