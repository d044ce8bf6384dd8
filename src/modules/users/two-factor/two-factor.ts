import { type Actor, badRequest, forbidden } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { type Platform, recordAct } from '../../../platform/index.ts'
import { requireUser } from '../directory/lookup.ts'
import { disableTwoFactor } from './store.ts'

/**
 * Removes the second factors of a user, as an administrator (contract 20, x.users_disable_2fa).
 * @throws ApiError 404; 403 for administrators; 400 when there are none
 */
export async function disableTwoFactorOf(platform: Platform, id: number, actor: Actor): Promise<void> {
  const { database, clock } = platform
  const user = await requireUser(database.read, id)
  if (user.is_admin) {
    throw forbidden('Two-factor authentication for admins cannot be disabled via the API. Use the Rails console')
  }
  await database.write(async (tx) => {
    if (!(await disableTwoFactor(tx, user.id, now(clock)))) {
      throw badRequest('Two-factor authentication is not enabled for this user')
    }
    await recordAct(platform, tx, actor, { name: 'users.disable_two_factor', target: { kind: 'user', id: user.id } })
  })
}
