import { type RequestInfo, unavailable } from '../../api/index.ts'
import { hashToken, PasswordQueueFull } from '../../infra/secrets/index.ts'
import { type Platform, throttleProtectedPath } from '../../platform/index.ts'
import { signIn, userById } from '../users/index.ts'
import { applicationById } from './applications/store.ts'
import { redeemCode } from './authorization/codes.ts'
import { clientOf } from './clients.ts'
import { redeemDeviceCode } from './device/redeem.ts'
import {
  invalidClient,
  invalidGrant,
  invalidScope,
  missingGrantType,
  unauthorizedClient,
  unsupportedGrantType,
} from './errors.ts'
import {
  epochSeconds,
  firstScopes,
  issueTokens,
  isUsable,
  lockFamily,
  maySelect,
  newFamily,
  scopesOf,
} from './issue.ts'
import { signIdToken } from './openid/id-token.ts'
import type { Revocation, TokenRequest } from './params.ts'
import { tokenOf } from './presented.ts'
import { oauthTokenByRefreshDigest, revokeByEitherDigest, revokeByRefreshDigest, revokeFamily } from './store.ts'
import type { OauthApplicationRow } from './tables.ts'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

type Client = Awaited<ReturnType<typeof clientOf>>

/** @throws ApiError 503 while too many passwords are being verified */
async function userOfPassword(platform: Platform, { username = '', password = '' }: TokenRequest, ip: string) {
  const settings = await platform.settings.current()
  const { password_authentication_enabled_for_web: web, password_authentication_enabled_for_git: git } = settings
  if (!web && !git) return null
  try {
    return await signIn(platform, username, password, ip)
  } catch (error) {
    throw error instanceof PasswordQueueFull ? unavailable() : error
  }
}

async function grantByPassword(platform: Platform, params: TokenRequest, client: Client, ip: string) {
  const scopes = firstScopes(params.scope, client)
  const user = await userOfPassword(platform, params, ip)
  if (!user || !(await isUsable(platform, user))) throw invalidGrant()
  if (!maySelect(user, scopes)) throw invalidScope()
  const origin = { user_id: user.id, application_id: client?.id ?? null, grant_id: null, family: newFamily() }
  return platform.database.write((tx) => issueTokens(platform, tx, origin, scopes))
}

/**
 * The new pair has the scopes of the old one, or fewer. An application that uses a refresh token again loses all that came of
 * it: one of the two was not the application (RFC 9700, 4.14.2).
 */
async function grantByRefreshToken(
  platform: Platform,
  { refresh_token: refreshToken = '', scope }: TokenRequest,
  client: Client,
) {
  const tokens = await platform.database.write(async (tx) => {
    const digest = hashToken(refreshToken)
    const known = await oauthTokenByRefreshDigest(tx, digest)
    if (!known || known.application_id !== (client?.id ?? null)) return null
    await lockFamily(tx, known)
    const pair = await revokeByRefreshDigest(tx, digest)
    if (!pair) {
      if (client) await revokeFamily(tx, known.family)
      return null
    }
    const user = await userById(tx, pair.user_id)
    if (!user || !(await isUsable(platform, user))) throw invalidGrant()
    const scopes = scopesOf(scope, pair.scopes)
    if (scopes.some((one) => !pair.scopes.includes(one))) throw invalidScope()
    return issueTokens(platform, tx, pair, scopes)
  })
  if (!tokens) throw invalidGrant()
  return tokens
}

/** Says besides who the user is, where the user has granted that. */
async function grantByCode(platform: Platform, params: TokenRequest, client: OauthApplicationRow) {
  const redeem = params.grant_type === deviceGrant ? redeemDeviceCode : redeemCode
  const { code, user, tokens } = await redeem(platform, params, client)
  if (!code.scopes.includes('openid')) return tokens
  return { ...tokens, id_token: await signIdToken(platform, { user, code, audience: client.uid }) }
}

/**
 * Issues a pair of tokens for a code, a refresh token or a password (contract 20, x.oauth_token).
 * @throws ApiError 400 or 401 in the words of OAuth
 */
export async function grantTokens(platform: Platform, params: TokenRequest, request: RequestInfo) {
  await throttleProtectedPath(platform, request.ip)
  const { grant_type: grantType } = params
  if (!grantType) throw missingGrantType()
  if (!['password', 'refresh_token', 'client_credentials', 'authorization_code', deviceGrant].includes(grantType)) {
    throw unsupportedGrantType()
  }
  const client = await clientOf(platform, params, request)
  if (grantType === 'password') return grantByPassword(platform, params, client, request.ip)
  if (grantType === 'refresh_token') return grantByRefreshToken(platform, params, client)
  if (!client) throw invalidClient()
  if (grantType === 'authorization_code' || grantType === deviceGrant) return grantByCode(platform, params, client)
  // Every token belongs to a user (contract 00, "Token").
  throw unauthorizedClient()
}

/**
 * Revokes a pair by either of its tokens; unknown tokens, and those of other clients, are not reported (contract 20,
 * x.oauth_revoke).
 * @throws ApiError 401 for an unknown client
 */
export async function revokeTokens(platform: Platform, params: Revocation, request: RequestInfo): Promise<void> {
  await throttleProtectedPath(platform, request.ip)
  const client = await clientOf(platform, params, request)
  await platform.database.write((tx) => revokeByEitherDigest(tx, hashToken(params.token), client?.id ?? null))
}

/**
 * Describes the OAuth token of the request (contract 20, x.oauth_token_info).
 * @throws ApiError 401 when there is none, or it is not valid
 */
export async function describeToken(platform: Platform, request: RequestInfo) {
  const { database, clock } = platform
  const { token } = await tokenOf(platform, request)
  const application = token.application_id === null ? null : await applicationById(database.read, token.application_id)
  const expiresIn = epochSeconds(token.expires_at) - Math.floor(clock.now().getTime() / 1000)
  return {
    resource_owner_id: token.user_id,
    scope: token.scopes,
    expires_in: expiresIn,
    application: { uid: application?.uid ?? null },
    created_at: epochSeconds(token.created_at),
    scopes: token.scopes,
    expires_in_seconds: expiresIn,
  }
}
