import { insufficientScope, type RequestInfo } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { tokenOf } from '../presented.ts'
import { claimsOf } from './claims.ts'

/**
 * Describes the user of the OAuth token of the request (contract 20, x.openid_userinfo).
 * @throws ApiError 401 when there is none, or it is not valid; 403 when it has not the scope `openid`
 */
export async function describeUser(platform: Platform, request: RequestInfo) {
  const { token, user } = await tokenOf(platform, request)
  if (!token.scopes.includes('openid')) throw insufficientScope(['openid'])
  return claimsOf(platform, user, token.scopes)
}
