import { now, type Tx } from '../../../infra/database/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { userById } from '../../users/index.ts'
import { grantById } from '../authorization/store.ts'
import { invalidGrant, type PendingError, pending } from '../errors.ts'
import { issueTokens, isUsable, lockFamily } from '../issue.ts'
import type { TokenRequest } from '../params.ts'
import type { OauthApplicationRow, OauthDeviceCodeRow } from '../tables.ts'
import { deleteDeviceCode, deviceCodeByDigest, recordPoll } from './store.ts'

/** By so much the interval grows when a device asks too early (RFC 8628, 3.5). */
const slowDownSeconds = 5

/** What a device hears while nothing was decided. */
async function poll({ clock }: Platform, tx: Tx, row: OauthDeviceCodeRow): Promise<PendingError> {
  const { polled_at: last, interval_seconds: interval } = row
  const isEarly = last !== null && clock.now().getTime() - Date.parse(last) < interval * 1000
  await recordPoll(tx, row.id, now(clock), interval + (isEarly ? slowDownSeconds : 0))
  return isEarly ? 'slow_down' : 'authorization_pending'
}

async function redeem(platform: Platform, tx: Tx, row: OauthDeviceCodeRow) {
  const grant = row.grant_id === null ? null : await grantById(tx, row.grant_id)
  if (!grant) return null
  await lockFamily(tx, { grant_id: grant.id, family: row.family })
  if (!(await deleteDeviceCode(tx, row.id))) return null
  const user = await userById(tx, grant.user_id)
  if (!user || !(await isUsable(platform, user))) return null
  const origin = { user_id: user.id, application_id: row.application_id, grant_id: grant.id, family: row.family }
  const code = { scopes: row.scopes, nonce: null, authenticated_at: row.authenticated_at ?? now(platform.clock) }
  return { code, user, tokens: await issueTokens(platform, tx, origin, row.scopes) }
}

/**
 * Issues tokens to a device once its user has allowed that (RFC 8628, 3.4).
 * @throws ApiError 400 in the words of OAuth: before, after a refusal, and for codes that have expired or were used
 */
export async function redeemDeviceCode(
  platform: Platform,
  { device_code: code = '' }: TokenRequest,
  client: OauthApplicationRow,
) {
  const outcome = await platform.database.write(async (tx) => {
    const row = await deviceCodeByDigest(tx, hashToken(code))
    if (row?.application_id !== client.id) return null
    if (row.is_denied) return 'access_denied'
    if (row.expires_at <= now(platform.clock)) return 'expired_token'
    return row.grant_id === null ? poll(platform, tx, row) : redeem(platform, tx, row)
  })
  if (outcome === null) throw invalidGrant()
  if (typeof outcome === 'string') throw pending(outcome)
  return outcome
}
