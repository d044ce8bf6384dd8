import { acquireLock, claim, now, type Tx } from '../../infra/database/index.ts'
import { hashToken, randomHex } from '../../infra/secrets/index.ts'
import type { Platform } from '../../platform/index.ts'
import { accountProblem } from '../tokens/index.ts'
import type { UserRow } from '../users/index.ts'
import { scopesIn } from './applications/rules.ts'
import { grantById } from './authorization/store.ts'
import { invalidScope } from './errors.ts'
import { knownScopes } from './scopes.ts'
import { insertOauthToken } from './store.ts'
import type { OauthApplicationRow, OauthTokenRow } from './tables.ts'

const lifetimeSeconds = 7_200
const administratorScopes = ['sudo', 'admin_mode']

export const epochSeconds = (moment: string) => Math.floor(Date.parse(moment) / 1000)

/** The requested scopes. @throws ApiError 400 for an unknown scope */
export function scopesOf(text: string | undefined, fallback: readonly string[]): string[] {
  const requested = scopesIn(text ?? '')
  if (requested.some((scope) => !knownScopes.includes(scope))) throw invalidScope()
  return requested.length > 0 ? requested : [...fallback]
}

/** The scopes of a pair without a refresh token: those that the client has, if any. @throws ApiError 400 */
export function firstScopes(text: string | undefined, client: Pick<OauthApplicationRow, 'scopes'> | null): string[] {
  const allowed = client?.scopes ?? knownScopes
  const scopes = scopesOf(text, allowed.includes('api') ? ['api'] : allowed)
  if (scopes.some((scope) => !allowed.includes(scope))) throw invalidScope()
  return scopes
}

/** Whether a user may have tokens with these scopes. */
export function maySelect(user: Pick<UserRow, 'is_admin'>, scopes: readonly string[]): boolean {
  return user.is_admin || !scopes.some((scope) => administratorScopes.includes(scope))
}

/** Whether the account may be used. */
export async function isUsable({ settings }: Platform, user: UserRow): Promise<boolean> {
  return accountProblem({ ...user, user_id: user.id }, await settings.current()) === null
}

/** Whose tokens, and of what they came. */
export type Origin = Pick<OauthTokenRow, 'user_id' | 'application_id' | 'grant_id' | 'family'>

/** Issues a pair of tokens. */
export async function issueTokens({ clock }: Platform, tx: Tx, origin: Origin, scopes: readonly string[]) {
  const { user_id, application_id, grant_id, family } = origin
  const [access, refresh] = [randomHex(32), randomHex(32)]
  const createdAt = now(clock)
  await insertOauthToken(tx, {
    ...{ user_id, application_id, grant_id, family },
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

export const newFamily = () => randomHex(16)

/**
 * Locks what the pairs of a family have in common until the transaction ends: a concurrent request cannot issue one that
 * their revocation misses. The authorisation comes before its codes and tokens, as when it ends.
 */
export async function lockFamily(tx: Tx, { grant_id: id, family }: Pick<Origin, 'grant_id' | 'family'>): Promise<void> {
  if (id === null) await acquireLock(tx, `oauth_tokens:${family}`)
  else await claim(tx, 'oauth_grants', () => grantById(tx, id))
}
