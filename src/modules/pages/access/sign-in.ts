import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { methodNotAllowed, notFound, readCookie, type Service } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { hashToken, randomHex } from '../../../infra/secrets/index.ts'
import { type Job, originOf, type Platform, pagesBase } from '../../../platform/index.ts'
import { visitorOfBrowser } from '../../sessions/index.ts'
import { isSiteHost } from '../serving/sites.ts'
import { cookieNames, cookieOf, leadOn, localPath } from './cookies.ts'
import { deleteExpired, insertCode, insertPagesSession, takeCode } from './store.ts'

/** Where the server gives a code to a visitor who is signed in, and where a host of sites takes it. */
const signInPath = '/-/pages/sign_in'
export const returnPath = '/-/pages/session'

const codeMs = 60_000
const stateSeconds = 600
/** A visitor then passes the server again, which is not noticed. */
const sessionMs = 3_600_000

const after = ({ clock }: Platform, ms: number) => new Date(clock.now().getTime() + ms).toISOString()
const stateShape = /^[0-9a-f]{32}$/
/** Without a query the whole address is one name, by which nothing is asked for. */
const queryOf = (url: string) => new URLSearchParams(url.slice(url.indexOf('?') + 1))

/** Sends a visitor of a host to the server, to sign in there (contract 24, Pages: access). */
export function askToSignIn(platform: Platform, request: FastifyRequest, reply: FastifyReply, hostname: string): void {
  const state = randomHex(16)
  const query = new URLSearchParams({ host: hostname, state, path: localPath(request.url) })
  const cookie = cookieOf(platform, cookieNames(platform).state, state, stateSeconds)
  leadOn(reply, `${platform.externalUrl}${signInPath}?${query}`, [cookie])
}

/** Gives a visitor who is signed in at the server a code for a host of sites, and sends them back to it. */
async function giveCode(platform: Platform, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const query = queryOf(request.url)
  const [hostname, state] = [query.get('host')?.toLowerCase() ?? '', query.get('state') ?? '']
  const isHost = hostname.length <= 253 && /^[a-z0-9_.-]+$/.test(hostname) && (await isSiteHost(platform, hostname))
  if (!isHost || !stateShape.test(state)) throw notFound()
  const found = await visitorOfBrowser(platform, request)
  if (!found) return leadOn(reply, `/users/sign_in?return_to=${encodeURIComponent(request.url)}`)
  const code = randomHex(32)
  const row = { digest: hashToken(code), session_id: found.session.id, hostname, expires_at: after(platform, codeMs) }
  await platform.database.write((tx) => insertCode(tx, row))
  const answer = new URLSearchParams({ code, state, path: localPath(query.get('path')) })
  leadOn(reply, `${originOf(pagesBase(platform), hostname)}${returnPath}?${answer}`)
}

/** The part of signing in that happens at the server. */
export function pagesSignIn(platform: Platform): Service {
  return {
    async handle(request, reply) {
      if (request.url.split('?')[0] !== signInPath || !platform.config.pagesEnabled) return false
      if (request.method !== 'GET') throw methodNotAllowed(['GET'])
      await giveCode(platform, request, reply)
      return true
    },
  }
}

const isSame = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

/**
 * Takes the code with which a visitor comes back to a host, once, and begins the visitor's session there.
 * @returns false for a code that is none: unknown, used, too old, of another host, or of another browser
 */
export async function takeVisitor(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  hostname: string,
): Promise<boolean> {
  const query = queryOf(request.url)
  const [code, state] = [query.get('code') ?? '', query.get('state') ?? '']
  const names = cookieNames(platform)
  if (!stateShape.test(state) || !isSame(state, readCookie(request.headers, names.state) ?? '')) return false
  const token = randomHex(32)
  const isTaken = await platform.database.write(async (tx) => {
    const taken = await takeCode(tx, hashToken(code), hostname)
    if (!taken || taken.expires_at <= now(platform.clock)) return false
    const expires_at = after(platform, sessionMs)
    await insertPagesSession(tx, { digest: hashToken(token), session_id: taken.session_id, hostname, expires_at })
    return true
  })
  if (!isTaken) return false
  const cookies = [cookieOf(platform, names.session, token), cookieOf(platform, names.state, '', 0)]
  leadOn(reply, localPath(query.get('path')), cookies)
  return true
}

/** Deletes codes and sessions whose time is over. */
export const deleteExpiredVisitors: Job<null> = {
  kind: 'pages.delete_expired_visitors',
  every: { seconds: 86_400 },
  async run({ database, clock }) {
    await database.write((tx) => deleteExpired(tx, now(clock)))
  },
}
