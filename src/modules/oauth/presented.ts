import { invalidToken, presentedToken, type RequestInfo } from '../../api/index.ts'
import { now } from '../../infra/database/index.ts'
import { hashToken } from '../../infra/secrets/index.ts'
import type { Platform } from '../../platform/index.ts'
import { type UserRow, userById } from '../users/index.ts'
import { isUsable } from './issue.ts'
import { oauthTokenByDigest } from './store.ts'
import type { OauthTokenRow } from './tables.ts'

/** The user of a pair whose access token may be used now; null when it may not. */
export async function userOfToken(platform: Platform, token: OauthTokenRow): Promise<UserRow | null> {
  if (token.revoked || token.expires_at <= now(platform.clock)) return null
  const user = await userById(platform.database.read, token.user_id)
  return user && (await isUsable(platform, user)) ? user : null
}

/**
 * The OAuth token of the request, with its user.
 * @throws ApiError 401 when there is none, or it is not valid
 */
export async function tokenOf(
  platform: Platform,
  request: RequestInfo,
): Promise<{ token: OauthTokenRow; user: UserRow }> {
  const presented = presentedToken(request)
  const isBearer = presented?.carrier === 'bearer'
  const token = isBearer ? await oauthTokenByDigest(platform.database.read, hashToken(presented.text)) : null
  const user = token && (await userOfToken(platform, token))
  if (!user) throw invalidToken('The access token is invalid')
  return { token, user }
}
