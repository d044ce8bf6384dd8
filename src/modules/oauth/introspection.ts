import type { RequestInfo } from '../../api/index.ts'
import { hashToken } from '../../infra/secrets/index.ts'
import { type Platform, throttleProtectedPath } from '../../platform/index.ts'
import { clientOf } from './clients.ts'
import { invalidClient } from './errors.ts'
import { epochSeconds } from './issue.ts'
import { issuerOf } from './openid/metadata.ts'
import type { Revocation } from './params.ts'
import { userOfToken } from './presented.ts'
import { oauthTokenByDigest, oauthTokenByRefreshDigest } from './store.ts'

/** A refresh token has no end of its own. */
const endless = '9999-12-31T00:00:00.000Z'

const inactive = { active: false }

/**
 * Describes a token to the confidential client that got it; all other tokens are inactive (RFC 7662; contract 20,
 * x.oauth_introspect).
 * @throws ApiError 401 for an unknown client, and for one without a secret
 */
export async function introspectToken(platform: Platform, params: Revocation, request: RequestInfo) {
  await throttleProtectedPath(platform, request.ip)
  const client = await clientOf(platform, params, request)
  if (!client?.confidential) throw invalidClient()
  const { read } = platform.database
  const digest = hashToken(params.token)
  const access = await oauthTokenByDigest(read, digest)
  const token = access ?? (await oauthTokenByRefreshDigest(read, digest))
  if (token?.application_id !== client.id) return inactive
  const user = await userOfToken(platform, access ?? { ...token, expires_at: endless })
  if (!user) return inactive
  return {
    active: true,
    scope: token.scopes.join(' '),
    client_id: client.uid,
    username: user.username,
    sub: String(user.id),
    iss: issuerOf(platform),
    iat: epochSeconds(token.created_at),
    ...(access && { token_type: 'Bearer', exp: epochSeconds(token.expires_at) }),
  }
}
