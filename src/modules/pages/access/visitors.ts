import type { FastifyRequest } from 'fastify'
import {
  type Actor,
  ApiError,
  anonymous,
  header,
  presentedToken,
  readCookie,
  reading,
  requireScope,
  unauthorized,
} from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import { authenticatorOf, type Platform } from '../../../platform/index.ts'
import { GitAccessDenied, identify } from '../../git-transport/index.ts'
import { userOfSession } from '../../sessions/index.ts'
import { cookieNames } from './cookies.ts'
import { pagesSessionAt } from './store.ts'

/** The visitor by name and password, where the password may be a token. @throws ApiError 401, 403 */
async function byBasic(platform: Platform, authorization: string, ip: string): Promise<Actor> {
  const caller = await identify(platform, authorization, ip).catch((error: unknown) => {
    throw error instanceof GitAccessDenied ? unauthorized() : error
  })
  if (caller.kind !== 'actor' || caller.actor.kind !== 'user') throw unauthorized()
  const { kind } = caller.actor.credential
  if (kind === 'job') throw unauthorized()
  // A password opens everything that its user may read.
  if (kind !== 'password') requireScope(caller.actor, reading)
  return caller.actor
}

/**
 * Whether a browser sends its cookie by itself for what it shows at this host, or goes there. What other sites embed is sent without
 * being asked for: their scripts could learn what it contains.
 */
function isOwnUse({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none' || headers['sec-fetch-mode'] === 'navigate'
}

/** The visitor who has signed in at this host; everything is read at each request, so that what ends, ends at once. */
async function byCookie(platform: Platform, request: FastifyRequest, hostname: string): Promise<Actor> {
  const token = readCookie(request.headers, cookieNames(platform).session)
  if (!token || !isOwnUse(request)) return anonymous
  const session = await pagesSessionAt(platform.database.read, hashToken(token), hostname)
  if (!session || session.expires_at <= now(platform.clock)) return anonymous
  return (await userOfSession(platform, session.session_id)) ?? anonymous
}

/**
 * Who visits a site: by Basic, by a token in a header, or by the cookie of this host alone. Nothing of them is handed on.
 * @throws ApiError 401, 403 for credentials that may not be used
 */
export async function visitorOf(platform: Platform, request: FastifyRequest, hostname: string): Promise<Actor> {
  const { headers, ip } = request
  const authorization = header(request, 'authorization') ?? ''
  if (/^basic\s/i.test(authorization)) return byBasic(platform, authorization, ip)
  const token = presentedToken({ headers, ip, raw: {}, query: {} })
  if (!token) return byCookie(platform, request, hostname)
  if (token.carrier === 'job') throw unauthorized()
  const actor = await authenticatorOf(platform).authenticate(token, ip)
  requireScope(actor, reading)
  return actor
}

/** Whether an error says that the credentials of a visitor may not be used. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 401 || error.status === 403)
