import { badRequest, forbidden } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { requireUser } from '../directory/lookup.ts'
import { disableTwoFactor } from './store.ts'

/**
 * Removes the second factors of a user, as an administrator (contract 20, x.users_disable_2fa).
 * @throws ApiError 404; 403 for administrators; 400 when there are none
 */
export async function disableTwoFactorOf({ database, clock }: Platform, id: number): Promise<void> {
  const user = await requireUser(database.read, id)
  if (user.is_admin) {
    throw forbidden('Two-factor authentication for admins cannot be disabled via the API. Use the Rails console')
  }
  if (await database.write((tx) => disableTwoFactor(tx, user.id, now(clock)))) return
  throw badRequest('Two-factor authentication is not enabled for this user')
}
