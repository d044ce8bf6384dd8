import { allScopes, cookieName, dayOf, header, readCookie, type UserActor } from '../../api/index.ts'
import { now, type Tx } from '../../infra/database/index.ts'
import { hashToken, randomHex } from '../../infra/secrets/index.ts'
import type { Job, Platform, Ports, Reaction } from '../../platform/index.ts'
import { accountProblem, actorOf } from '../tokens/index.ts'
import { noteActivity, noteSecondFactorDemand } from '../users/index.ts'
import { lookOf } from './look.ts'
import { type Factors, isOverdue, secondFactorDue } from './second-factor.ts'
import * as store from './store.ts'
import type { SessionRow } from './tables.ts'

/** From where a session is used. */
export type Browser = { ip: string; userAgent?: string | undefined }

const dayMs = 86_400_000
/** A session ends so long after its last use, */
const idleMs = 14 * dayMs
/** and so long after the sign-in in any case. */
const longestMs = 90 * dayMs
/** The use of a session is recorded this often at most: otherwise each page would cause a write. */
const recordingMs = 5 * 60_000

const longestUserAgent = 255

/** Sessions act as their user only, so they have no `sudo`. */
const scopesOfAdministrators = allScopes.filter((scope) => scope !== 'sudo')
const scopesOfPeople = scopesOfAdministrators.filter((scope) => scope !== 'admin_mode')

/** The columns that each recorded use of a session sets. @param createdAt of the session */
function useOf({ clock }: Platform, createdAt: string, { ip, userAgent }: Browser) {
  const moment = clock.now().getTime()
  const text = userAgent?.replaceAll('\u0000', '').slice(0, longestUserAgent).toWellFormed()
  return {
    last_used_at: now(clock),
    expires_at: new Date(Math.min(moment + idleMs, Date.parse(createdAt) + longestMs)).toISOString(),
    ip,
    user_agent: text || null,
  }
}

/** Begins a session of a user who has signed in. @returns the token for the browser, which is not stored */
export async function beginSession(platform: Platform, tx: Tx, userId: number, browser: Browser) {
  const token = randomHex(32)
  const created_at = now(platform.clock)
  const row = { user_id: userId, digest: hashToken(token), created_at, ...useOf(platform, created_at, browser) }
  const { expires_at: expiresAt } = await store.insertSession(tx, row)
  return { token, expiresAt }
}

type Used = SessionRow & Factors & { last_activity_on: string | null }

/**
 * Records the use of a session when the last record is old, and the first one for which a second factor is demanded.
 * @returns the session; null when it has ended meanwhile
 */
async function used(platform: Platform, session: Used, due: Date | null, browser: Browser): Promise<SessionRow | null> {
  const { database, clock } = platform
  const moment = clock.now()
  const today = dayOf(moment)
  // A later time was stored while the clock was ahead.
  const isStale = Math.abs(moment.getTime() - Date.parse(session.last_used_at)) >= recordingMs
  const isDemanded = due !== null && session.second_factor_demanded_at === null
  if (!isStale && !isDemanded && session.last_activity_on === today) return session
  const use = useOf(platform, session.created_at, browser)
  return database.write(async (tx) => {
    // The row of the user is locked first, as by whatever ends sessions.
    await noteActivity(tx, session.user_id, today)
    if (isDemanded) await noteSecondFactorDemand(tx, session.user_id, now(clock))
    return (await store.recordUse(tx, session.id, use)) ? { ...session, ...use } : null
  })
}

/** The user of a session, and the session. `due`: when the user has to have a second factor; null when none is demanded. */
type SessionInUse = { actor: UserActor; session: SessionRow; due: Date | null }

/**
 * The user of a session, and the session (contract 20 R11). Everything is read at each call, so that a session that ends, ends
 * at once.
 * @returns null when there is no such session, it has expired, or the account may not be used
 */
export async function sessionOf(platform: Platform, token: string, browser: Browser): Promise<SessionInUse | null> {
  const { database, settings, clock } = platform
  const [found, current] = await Promise.all([
    store.sessionByDigest(database.read, hashToken(token)),
    settings.current(),
  ])
  if (!found || found.expires_at <= now(clock) || accountProblem(found, current)) return null
  const due = secondFactorDue(found, current, clock.now())
  const session = await used(platform, found, due, browser)
  if (!session) return null
  const scopes = found.is_admin ? scopesOfAdministrators : scopesOfPeople
  return { actor: actorOf(platform, found, { kind: 'session', id: found.id, scopes }, current), session, due }
}

/**
 * The user of a session that is known by its id; null when it has ended, the account may not be used, or only its second factor
 * may be set up. Records no use.
 */
export async function userOfSession(platform: Platform, id: number): Promise<UserActor | null> {
  const { database, settings, clock } = platform
  const [found, current] = await Promise.all([store.sessionWithAccount(database.read, id), settings.current()])
  if (!found || found.expires_at <= now(clock) || accountProblem(found, current)) return null
  if (isOverdue(secondFactorDue(found, current, clock.now()), clock.now())) return null
  const scopes = found.is_admin ? scopesOfAdministrators : scopesOfPeople
  return actorOf(platform, found, { kind: 'session', id, scopes }, current)
}

/** The name of the cookie that holds the token of a session (`cookieName`). */
export const sessionCookie = 'session'

/**
 * The user who is signed in with the browser of a request, with the user as whom an administrator looks at the pages; null for
 * none.
 */
export async function visitorOfBrowser(platform: Platform, request: Parameters<Ports['request.browser']>[1]) {
  const token = readCookie(request.headers, cookieName(platform.externalUrl, sessionCookie))
  const browser = { ip: request.ip, userAgent: header(request, 'user-agent') ?? '' }
  const found = token ? await sessionOf(platform, token, browser) : null
  return (
    found && {
      ...found,
      actor: { ...found.actor, ip: request.ip },
      look: await lookOf(platform, found.actor, found.session),
    }
  )
}

/** The user as whom the pages are shown in the browser of a request; null for none, and for one who must have a second factor. */
export const callerOfBrowser: Ports['request.browser'] = async (platform, request) => {
  const found = await visitorOfBrowser(platform, request)
  if (!found || isOverdue(found.due, platform.clock.now())) return null
  return found.look ?? found.actor
}

/** Signs a browser out. Unknown tokens are not reported. */
export async function endSession({ database }: Platform, token: string): Promise<void> {
  await database.write((tx) => store.deleteByDigest(tx, hashToken(token)))
}

/** Ends all sessions of a user, after a block. */
export const endSessions: Reaction<{ userId: number }> = (_platform, tx, { userId }) =>
  store.deleteSessionsOf(tx, userId)

/** Ends the sessions of a user whose password has changed, but for the one that has changed it. */
export const endOtherSessions: Reaction<{ userId: number; sessionId: number | null }> = (
  _platform,
  tx,
  { userId, sessionId },
) => store.deleteSessionsOf(tx, userId, sessionId)

/** Deletes expired sessions. */
export const deleteExpiredSessions: Job<null> = {
  kind: 'sessions.delete_expired',
  every: { seconds: dayMs / 1000 },
  async run({ database, clock }) {
    await database.write((tx) => store.deleteExpired(tx, now(clock)))
  },
}
