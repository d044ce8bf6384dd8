import { insufficientScope, type RequestInfo } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { presentingUsers, presentUserBasic, type UserRow } from '../../users/index.ts'
import { tokenOf } from '../presented.ts'

/** What applications learn about a user, by the scopes that the user has granted (OpenID Connect Core, 5.4). */
export async function claimsOf(platform: Platform, user: UserRow, scopes: readonly string[]) {
  const { name, username, web_url, avatar_url } = presentUserBasic(user, await presentingUsers(platform))
  const profile = { name, nickname: username, preferred_username: username, profile: web_url }
  return {
    sub: String(user.id),
    ...(scopes.includes('profile') && { ...profile, ...(avatar_url !== null && { picture: avatar_url }) }),
    ...(scopes.includes('email') && { email: user.email, email_verified: user.confirmed_at !== null }),
  }
}

/**
 * Describes the user of the OAuth token of the request (contract 20, x.openid_userinfo).
 * @throws ApiError 401 when there is none, or it is not valid; 403 when it has not the scope `openid`
 */
export async function describeUser(platform: Platform, request: RequestInfo) {
  const { token, user } = await tokenOf(platform, request)
  if (!token.scopes.includes('openid')) throw insufficientScope(['openid'])
  return claimsOf(platform, user, token.scopes)
}
