import { invalidToken, presentedToken, type RequestInfo, unavailable } from '../../api/index.ts'
import { now, type Tx } from '../../infra/database/index.ts'
import { hashToken, PasswordQueueFull, randomHex } from '../../infra/secrets/index.ts'
import { type Platform, throttleProtectedPath } from '../../platform/index.ts'
import { accountProblem } from '../tokens/index.ts'
import { signIn, type UserRow, userById } from '../users/index.ts'
import { scopesIn } from './applications/rules.ts'
import { applicationById } from './applications/store.ts'
import { clientOf } from './clients.ts'
import {
  invalidClient,
  invalidGrant,
  invalidScope,
  missingGrantType,
  unauthorizedClient,
  unsupportedGrantType,
} from './errors.ts'
import type { Revocation, TokenRequest } from './params.ts'
import { knownScopes } from './scopes.ts'
import { insertOauthToken, oauthTokenByDigest, revokeByEitherDigest, revokeByRefreshDigest } from './store.ts'

type Client = Awaited<ReturnType<typeof clientOf>>

const lifetimeSeconds = 7_200
const administratorScopes = ['sudo', 'admin_mode']
const epochSeconds = (moment: string) => Math.floor(Date.parse(moment) / 1000)

/** The requested scopes. @throws ApiError 400 for an unknown scope */
function scopesOf(text: string | undefined, fallback: readonly string[]): string[] {
  const requested = scopesIn(text ?? '')
  if (requested.some((scope) => !knownScopes.includes(scope))) throw invalidScope()
  return requested.length > 0 ? requested : [...fallback]
}

/** The scopes of a pair without a refresh token: those that the client has, if any. @throws ApiError 400 */
function firstScopes(text: string | undefined, client: Client): string[] {
  const allowed = client?.scopes ?? knownScopes
  const scopes = scopesOf(text, allowed.includes('api') ? ['api'] : allowed)
  if (scopes.some((scope) => !allowed.includes(scope))) throw invalidScope()
  return scopes
}

type Issued = { userId: number; applicationId: number | null; scopes: readonly string[] }

async function issueTokens({ clock }: Platform, tx: Tx, { userId, applicationId, scopes }: Issued) {
  const [access, refresh] = [randomHex(32), randomHex(32)]
  const createdAt = now(clock)
  await insertOauthToken(tx, {
    user_id: userId,
    application_id: applicationId,
    digest: hashToken(access),
    refresh_digest: hashToken(refresh),
    scopes: JSON.stringify(scopes),
    expires_at: new Date(clock.now().getTime() + lifetimeSeconds * 1000).toISOString(),
    created_at: createdAt,
  })
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
    refresh_token: refresh,
    scope: scopes.join(' '),
    created_at: epochSeconds(createdAt),
  }
}

async function isUsable({ settings }: Platform, user: UserRow): Promise<boolean> {
  return accountProblem({ ...user, user_id: user.id }, await settings.current()) === null
}

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
  if (!user.is_admin && scopes.some((scope) => administratorScopes.includes(scope))) throw invalidScope()
  const applicationId = client?.id ?? null
  return platform.database.write((tx) => issueTokens(platform, tx, { userId: user.id, applicationId, scopes }))
}

/** The new pair has the scopes of the old one, or fewer. */
async function grantByRefreshToken(
  platform: Platform,
  { refresh_token: refreshToken = '', scope }: TokenRequest,
  client: Client,
) {
  return platform.database.write(async (tx) => {
    const pair = await revokeByRefreshDigest(tx, hashToken(refreshToken))
    const applicationId = client?.id ?? null
    if (pair?.application_id !== applicationId) throw invalidGrant()
    const user = pair && (await userById(tx, pair.user_id))
    if (!user || !(await isUsable(platform, user))) throw invalidGrant()
    const scopes = scopesOf(scope, pair.scopes)
    if (scopes.some((one) => !pair.scopes.includes(one))) throw invalidScope()
    return issueTokens(platform, tx, { userId: user.id, applicationId, scopes })
  })
}

/**
 * Issues a pair of tokens for a password or a refresh token (contract 20, x.oauth_token).
 * @throws ApiError 400 or 401 in the words of OAuth
 */
export async function grantTokens(platform: Platform, params: TokenRequest, request: RequestInfo) {
  await throttleProtectedPath(platform, request.ip)
  const { grant_type: grantType } = params
  if (!grantType) throw missingGrantType()
  if (!['password', 'refresh_token', 'client_credentials', 'authorization_code'].includes(grantType)) {
    throw unsupportedGrantType()
  }
  const client = await clientOf(platform, params, request)
  if (grantType === 'password') return grantByPassword(platform, params, client, request.ip)
  if (grantType === 'refresh_token') return grantByRefreshToken(platform, params, client)
  if (!client) throw invalidClient()
  // There is no page on which users could grant a code, and every token belongs to a user (contract 00, "Token").
  throw grantType === 'authorization_code' ? invalidGrant() : unauthorizedClient()
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
  const presented = presentedToken(request)
  const isBearer = presented?.carrier === 'bearer'
  const token = isBearer ? await oauthTokenByDigest(database.read, hashToken(presented.text)) : null
  const user = token && (await userById(database.read, token.user_id))
  const isActive = token && !token.revoked && token.expires_at > now(clock)
  if (!isActive || !user || !(await isUsable(platform, user))) throw invalidToken('The access token is invalid')
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
