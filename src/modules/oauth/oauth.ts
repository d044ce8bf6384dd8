import { allScopes, header, invalidToken, presentedToken, type RequestInfo, unavailable } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now, type Tx } from '../../infra/database/index.ts'
import { hashToken, PasswordQueueFull, randomHex } from '../../infra/secrets/index.ts'
import { type AccountSettings, accountProblem } from '../tokens/index.ts'
import { type SignIn, type UserRow, userById } from '../users/index.ts'
import { invalidClient, invalidGrant, invalidScope, missingGrantType, unsupportedGrantType } from './errors.ts'
import { insertOauthToken, oauthTokenByDigest, revokeByEitherDigest, revokeByRefreshDigest } from './store.ts'

export type OauthNeeds = {
  database: Database
  clock: Clock
  signIn: SignIn
  policy(): Promise<
    AccountSettings & {
      password_authentication_enabled_for_web: boolean
      password_authentication_enabled_for_git: boolean
    }
  >
}

/** The parameters of a request for a token, as far as the grants that work here read them. */
export type TokenRequest = {
  grant_type?: string
  username?: string
  password?: string
  scope?: string
  client_id?: string
  refresh_token?: string
}

/** A pair of tokens, the only time that their texts are told. */
export type TokenAnswer = {
  access_token: string
  token_type: string
  expires_in: number
  refresh_token: string
  scope: string
  created_at: number
}

const lifetimeSeconds = 7_200
const knownScopes: readonly string[] = [...allScopes, 'openid', 'profile', 'email']
const forAdministrators = ['sudo', 'admin_mode']
const epochSeconds = (moment: string) => Math.floor(Date.parse(moment) / 1000)

/** The scopes that are asked for. @throws ApiError 400 when there is one that nobody knows */
function scopesOf(text: string | undefined, fallback: readonly string[]): string[] {
  const asked = [...new Set((text ?? '').split(/\s+/).filter((scope) => scope !== ''))]
  if (asked.some((scope) => !knownScopes.includes(scope))) throw invalidScope()
  return asked.length > 0 ? asked : [...fallback]
}

/**
 * Whether the request names a client, as a parameter or as the user name of Basic authentication; an empty name is none,
 * as clients send that have been given none.
 */
function namesClient({ client_id: id }: { client_id?: string }, request: RequestInfo): boolean {
  const basic = /^basic\s+(.*)$/i.exec(header(request, 'authorization') ?? '')?.[1]
  return Boolean(id) || (basic !== undefined && !Buffer.from(basic, 'base64').toString('latin1').startsWith(':'))
}

/** OAuth without applications: people get tokens for their password, and renew them (contract 20, "oauth"). */
export function createOauth({ database, clock, signIn, policy }: OauthNeeds) {
  async function issue(tx: Tx, userId: number, scopes: readonly string[]): Promise<TokenAnswer> {
    const [access, refresh] = [randomHex(32), randomHex(32)]
    const created_at = now(clock)
    await insertOauthToken(tx, {
      user_id: userId,
      digest: hashToken(access),
      refresh_digest: hashToken(refresh),
      scopes: JSON.stringify(scopes),
      expires_at: new Date(clock.now().getTime() + lifetimeSeconds * 1000).toISOString(),
      created_at,
    })
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: lifetimeSeconds,
      refresh_token: refresh,
      scope: scopes.join(' '),
      created_at: epochSeconds(created_at),
    }
  }

  async function isUsable(user: UserRow): Promise<boolean> {
    return accountProblem({ ...user, user_id: user.id }, await policy()) === null
  }

  async function signedIn({ username = '', password = '' }: TokenRequest, ip: string): Promise<UserRow | null> {
    const rules = await policy()
    if (!rules.password_authentication_enabled_for_web && !rules.password_authentication_enabled_for_git) return null
    try {
      return await signIn(username, password, ip)
    } catch (error) {
      throw error instanceof PasswordQueueFull ? unavailable() : error
    }
  }

  async function byPassword(asked: TokenRequest, ip: string): Promise<TokenAnswer> {
    const scopes = scopesOf(asked.scope, ['api'])
    const user = await signedIn(asked, ip)
    if (!user || !(await isUsable(user))) throw invalidGrant()
    if (!user.is_admin && scopes.some((scope) => forAdministrators.includes(scope))) throw invalidScope()
    return database.write((tx) => issue(tx, user.id, scopes))
  }

  /** A scope may be left out of the new pair, and none added. */
  async function byRefreshToken({ refresh_token, scope }: TokenRequest): Promise<TokenAnswer> {
    return database.write(async (tx) => {
      const pair = await revokeByRefreshDigest(tx, hashToken(refresh_token ?? ''))
      const user = pair && (await userById(tx, pair.user_id))
      if (!user || !(await isUsable(user))) throw invalidGrant()
      const scopes = scopesOf(scope, pair.scopes)
      if (scopes.some((one) => !pair.scopes.includes(one))) throw invalidScope()
      return issue(tx, user.id, scopes)
    })
  }

  return {
    /** @throws ApiError 400 or 401 in the words of OAuth */
    async grant(asked: TokenRequest, request: RequestInfo): Promise<TokenAnswer> {
      const { grant_type: grantType } = asked
      if (!grantType) throw missingGrantType()
      if (!['password', 'refresh_token', 'client_credentials', 'authorization_code'].includes(grantType)) {
        throw unsupportedGrantType()
      }
      if (namesClient(asked, request)) throw invalidClient()
      if (grantType === 'password') return byPassword(asked, request.ip)
      if (grantType === 'refresh_token') return byRefreshToken(asked)
      throw invalidClient()
    },
    /** An unknown token is none the less revoked afterwards, and nothing is told of it. */
    async revoke(asked: { token: string; client_id?: string }, request: RequestInfo): Promise<void> {
      if (namesClient(asked, request)) throw invalidClient()
      await database.write((tx) => revokeByEitherDigest(tx, hashToken(asked.token)))
    },
    /** @throws ApiError 401 when the request carries no OAuth token that works */
    async describe(request: RequestInfo) {
      const presented = presentedToken(request)
      const isBearer = presented?.carrier === 'bearer'
      const token = isBearer ? await oauthTokenByDigest(database.read, hashToken(presented.text)) : null
      const user = token && (await userById(database.read, token.user_id))
      const isLive = token && !token.revoked && token.expires_at > now(clock)
      if (!isLive || !user || !(await isUsable(user))) throw invalidToken('The access token is invalid')
      const expiresIn = epochSeconds(token.expires_at) - Math.floor(clock.now().getTime() / 1000)
      return {
        resource_owner_id: token.user_id,
        scope: token.scopes,
        expires_in: expiresIn,
        application: { uid: null },
        created_at: epochSeconds(token.created_at),
        scopes: token.scopes,
        expires_in_seconds: expiresIn,
      }
    },
  }
}

export type Oauth = ReturnType<typeof createOauth>
