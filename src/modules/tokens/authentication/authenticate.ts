import { dayOf, invalidToken, type PresentedToken, type UserActor, unauthorized } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import type { Platform, Ports } from '../../../platform/index.ts'
import { noteActivity, userByIdOrUsername } from '../../users/index.ts'
import { isPastExpiry } from '../expiry.ts'
import { accessTokenByDigest, noteUse, oauthTokenByDigest } from '../store/access-tokens.ts'
import { actorOf, requireUsable } from './account.ts'

declare module '../../../platform/platform.ts' {
  interface Questions {
    /**
     * The user of a job that is pending or running and has a token, with the credential of the job; null for all other
     * tokens and jobs, and while the account may not be used (contract 00, JOB-TOKEN).
     */
    'tokens.job': (job: { token: string } | { id: number }) => Promise<UserActor | null>
  }
}

const expired = () => invalidToken('Token is expired. You can either do re-authorization or token refresh.')
/** The answer to a token that has been revoked. */
export const revokedToken = () => invalidToken('Token was revoked. You have to re-authorize from the user.')

const tenMinutesMs = 600_000

type Used = { tokenId: number | null; lastUsedAt: string | null; userId: number; lastActivityOn: string | null }

/** Records the use of a token, at most every ten minutes: otherwise each read would cause a write. */
async function recordUse({ database, clock }: Platform, { tokenId, lastUsedAt, userId, lastActivityOn }: Used) {
  const moment = clock.now()
  const today = dayOf(moment)
  // A later time was stored while the clock was ahead.
  const isStale = lastUsedAt === null || Math.abs(moment.getTime() - Date.parse(lastUsedAt)) >= tenMinutesMs
  if ((tokenId === null || !isStale) && lastActivityOn === today) return
  await database.write(async (tx) => {
    if (tokenId !== null && isStale) await noteUse(tx, tokenId, now(clock))
    await noteActivity(tx, userId, today)
  })
}

async function byAccessToken(platform: Platform, digest: string): Promise<UserActor | null> {
  const { database, settings, clock } = platform
  // Concurrently, since each is a round trip to PostgreSQL.
  const [token, current] = await Promise.all([accessTokenByDigest(database.read, digest), settings.current()])
  if (!token) return null
  if (token.revoked) throw revokedToken()
  if (isPastExpiry(token, clock.now())) throw expired()
  requireUsable(token, current)
  const { id: tokenId, last_used_at: lastUsedAt, user_id: userId, last_activity_on: lastActivityOn } = token
  await recordUse(platform, { tokenId, lastUsedAt, userId, lastActivityOn })
  return actorOf(platform, token, token, current)
}

async function byOauthToken(platform: Platform, digest: string): Promise<UserActor | null> {
  const { database, settings, clock } = platform
  const token = await oauthTokenByDigest(database.read, digest)
  if (!token) return null
  if (token.revoked) throw revokedToken()
  if (token.expires_at <= now(clock)) throw expired()
  const current = await settings.current()
  requireUsable(token, current)
  const { user_id: userId, last_activity_on: lastActivityOn } = token
  await recordUse(platform, { tokenId: null, lastUsedAt: null, userId, lastActivityOn })
  return actorOf(platform, token, { kind: 'oauth', id: token.id, scopes: token.scopes }, current)
}

const byJobToken = (platform: Platform, token: string) => platform.ports['tokens.job'](platform, { token })

async function byUserToken(platform: Platform, carrier: PresentedToken['carrier'], text: string) {
  const digest = hashToken(text)
  return (await byAccessToken(platform, digest)) ?? (carrier === 'bearer' ? byOauthToken(platform, digest) : null)
}

/**
 * The user that a token authenticates, for the API and for git alike. OAuth tokens are accepted as bearer tokens only, and
 * those of jobs as job tokens only.
 * @throws ApiError 401 when the token is unknown, expired or revoked; 403 when the account may not be used
 */
export const authenticate: Ports['request.authenticate'] = async (platform, { carrier, text }: PresentedToken) => {
  const actor = carrier === 'job' ? await byJobToken(platform, text) : await byUserToken(platform, carrier, text)
  if (!actor) throw unauthorized()
  return actor
}

/**
 * The user whom an administrator names by `sudo`, with the credential of the administrator (contract 00, "Sudo").
 * @param target id or username
 * @returns null when there is no such user
 * @throws ApiError 403 when the account may not be used
 */
export const impersonate: Ports['request.impersonate'] = async (platform, caller, target) => {
  const { database, settings } = platform
  const user = await userByIdOrUsername(database.read, target)
  if (!user) return null
  const current = await settings.current()
  const account = { ...user, user_id: user.id }
  requireUsable(account, current)
  return { ...actorOf(platform, account, caller.credential, current), bySudo: true }
}
