import type { Credential, UserActor } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { acceptsPassword, type UserRow, userById } from '../../users/index.ts'
import { deployTokenById } from '../deploy/store.ts'
import { isPastExpiry } from '../expiry.ts'
import { accountTokenById, oauthTokenById } from '../store/access-tokens.ts'
import { type DeployTokenRow, isAccessToken } from '../tables.ts'
import { accountProblem, actorOf } from './account.ts'

/** What of a credential is enough to find it again; it says nothing about a token's text or a password. */
export type CredentialReference = Pick<Credential, 'kind' | 'id' | 'mark'>

const markCharacters = 32

/** A text that changes with the password of an account. */
export function passwordMark({ password_hash: hash }: Pick<UserRow, 'password_hash'>): string {
  return hashToken(hash ?? '').slice(0, markCharacters)
}

async function byPassword(
  platform: Platform,
  userId: number,
  { mark }: CredentialReference,
): Promise<UserActor | null> {
  const [user, settings] = await Promise.all([userById(platform.database.read, userId), platform.settings.current()])
  if (!user || !settings.password_authentication_enabled_for_git) return null
  if (!acceptsPassword(user) || passwordMark(user) !== mark) return null
  const account = { ...user, user_id: user.id }
  if (accountProblem(account, settings)) return null
  return actorOf(platform, account, { kind: 'password', id: null, mark, scopes: [] }, settings)
}

async function byAccessToken(platform: Platform, id: number): Promise<UserActor | null> {
  const { database, settings, clock } = platform
  const [token, current] = await Promise.all([accountTokenById(database.read, id), settings.current()])
  if (!token || token.revoked || isPastExpiry(token, clock.now()) || accountProblem(token, current)) return null
  return actorOf(platform, token, token, current)
}

async function byOauthToken(platform: Platform, id: number): Promise<UserActor | null> {
  const { database, settings, clock } = platform
  const [token, current] = await Promise.all([oauthTokenById(database.read, id), settings.current()])
  if (!token || token.revoked || token.expires_at <= now(clock) || accountProblem(token, current)) return null
  return actorOf(platform, token, { ...token, kind: 'oauth' }, current)
}

/**
 * The user of a token or password that was accepted before, with the rights of now.
 * @returns null when the credential was revoked, has expired or was replaced, or the account may not be used
 */
export async function currentUser(
  platform: Platform,
  userId: number,
  credential: CredentialReference,
): Promise<UserActor | null> {
  const { kind, id } = credential
  if (kind === 'password') return byPassword(platform, userId, credential)
  if (id === null) return null
  if (kind === 'job') return platform.ports['tokens.job'](platform, { id })
  if (kind !== 'oauth' && !isAccessToken(kind)) return null
  const actor = await (kind === 'oauth' ? byOauthToken(platform, id) : byAccessToken(platform, id))
  return actor?.userId === userId ? actor : null
}

/** A deploy token that was accepted before; null when it was deleted or revoked, or has expired. */
export async function currentDeployToken({ database, clock }: Platform, id: number): Promise<DeployTokenRow | null> {
  const token = await deployTokenById(database.read, id)
  const isExpired = token !== null && token.expires_at !== null && token.expires_at <= now(clock)
  return token && !token.revoked && !isExpired ? token : null
}
