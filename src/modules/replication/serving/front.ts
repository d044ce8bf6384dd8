import { ApiError, failure, type Service } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { forget } from '../memory/confirmations.ts'
import { ownName } from '../nodes/own-node.ts'
import type { Verdict } from '../protocol/authorize.ts'
import { PrimaryRefusal, PrimaryUnreachable } from '../secondary/client.ts'
import { countRequest } from '../secondary/requests.ts'
import { type Secondary, secondaryOf } from '../secondary/state.ts'
import { authorizeRead, forgetPermissions } from './authorizing.ts'
import { anonymousCaller, callerOf } from './callers.ts'
import { imagePart } from './images.ts'
import { ownUrl, registryWithoutPrimary } from './images-without-primary.ts'
import { localApi } from './local-api.ts'
import { currentCopy, type Exchange, serveFetch, servePart, serveUpload } from './local-reads.ts'
import { type Passing, passOn, proxiedHeader } from './proxy.ts'
import { noteTokenAnswer, tokenPath } from './registry-tokens.ts'
import {
  changesNothing,
  fetchWithoutPrimary,
  refuseWithoutPrimary,
  statusWithoutPrimary,
  uploadWithoutPrimary,
} from './without-primary.ts'

const fetchPath = /\.git\/(?:info\/refs|git-upload-pack)$/
const uploadPath = /^\/-\/(?:project|group)\/\d+\/uploads\/[^/]+\/[^/]+\/?$/
const ownPath = /^\/api\/v4\/geo_(?:nodes|sites)\/current\/(?:status|failures)$/

const isOfRegistry = (path: string) => path === '/v2' || path.startsWith('/v2/')
const isRead = ({ request: { method } }: Exchange) => method === 'GET' || method === 'HEAD'

/** Tries to answer from a copy. @returns false when the primary has to answer */
type Attempt = (platform: Platform, secondary: Secondary, exchange: Exchange) => Promise<boolean>

/** Refuses as the primary has said. */
function refuse({ reply }: Exchange, { status, body, www_authenticate: challenge }: Verdict): void {
  const isJson = body?.startsWith('{') === true
  if (challenge !== null) reply.header('WWW-Authenticate', challenge)
  reply
    .code(status)
    .header('Cache-Control', 'no-cache')
    .type(isJson ? 'application/json' : 'text/plain; charset=utf-8')
    .send(body ?? '')
}

/** Answers a read from the copy that the primary names, if it is current. */
function fromCopy(action: 'git_read' | 'upload_read', serve: typeof serveFetch): Attempt {
  return async (platform, secondary, exchange) => {
    const verdict = await authorizeRead(platform, secondary, exchange.request, action)
    if (!verdict.allowed) {
      refuse(exchange, verdict)
      return true
    }
    const replica = await currentCopy(platform, verdict)
    return replica !== null && serve(platform, exchange, replica)
  }
}

const fetchAttempt = fromCopy('git_read', serveFetch)

/** A fetch; a push asks for refs at the same address. */
const fromRepository: Attempt = async (platform, secondary, exchange) => {
  const { method, url } = exchange.request
  const isFetch = method === 'POST' || (method === 'GET' && /[?&]service=git-upload-pack(?:&|$)/.test(url))
  if (!isFetch) return false
  countRequest(platform, 'git_fetch_event_count_weekly')
  return fetchAttempt(platform, secondary, exchange)
}

const uploadAttempt = fromCopy('upload_read', serveUpload)
const fromUpload: Attempt = async (platform, secondary, exchange) =>
  isRead(exchange) && uploadAttempt(platform, secondary, exchange)

const fromImage: Attempt = async (platform, secondary, exchange) => {
  const part = isRead(exchange) ? await imagePart(platform, secondary, exchange.request) : null
  return part !== null && servePart(platform, exchange, part)
}

/** The status and the failures of this server itself. */
const fromHere: Attempt = async (platform, secondary, exchange) => {
  if (!isRead(exchange)) return false
  const verdict = await authorizeRead(platform, secondary, exchange.request, 'admin')
  if (!verdict.allowed) refuse(exchange, verdict)
  else await localApi(platform).handle(exchange.request, exchange.reply)
  return true
}

function attemptFor(path: string): Attempt | null {
  if (ownPath.test(path)) return fromHere
  if (fetchPath.test(path)) return fromRepository
  if (uploadPath.test(path)) return fromUpload
  return isOfRegistry(path) ? fromImage : null
}

/** What the primary cannot be asked is passed on to it. */
const isPassedOn = (error: unknown) => error instanceof PrimaryUnreachable || error instanceof PrimaryRefusal

/** Tries to answer from a copy. @returns `away` when the primary cannot be asked whether it may be read */
async function tryHere(
  platform: Platform,
  secondary: Secondary,
  exchange: Exchange,
  path: string,
): Promise<'served' | 'pass' | 'away'> {
  try {
    return (await attemptFor(path)?.(platform, secondary, exchange)) ? 'served' : 'pass'
  } catch (error) {
    if (error instanceof ApiError || !isPassedOn(error)) throw error
    return error instanceof PrimaryUnreachable ? 'away' : 'pass'
  }
}

/** Answers what can be answered without the primary, and refuses everything else. @throws ApiError 503 */
async function answerWithoutPrimary(platform: Platform, secondary: Secondary, exchange: Exchange, path: string) {
  const isToken = tokenPath.test(path)
  if (isToken || isOfRegistry(path)) return registryWithoutPrimary(platform, secondary, exchange, isToken)
  const attempt = changesNothing(exchange.request) ? attemptWithoutPrimary(path) : null
  if (!(await attempt?.(platform, exchange))) refuseWithoutPrimary(exchange)
}

function attemptWithoutPrimary(path: string): typeof fetchWithoutPrimary | null {
  if (fetchPath.test(path)) return fetchWithoutPrimary
  if (uploadPath.test(path)) return uploadWithoutPrimary
  return ownPath.test(path) ? statusWithoutPrimary : null
}

/** How the answer of the primary is passed on: clients ask this server for tokens of the registry, as for images. */
function passing(
  platform: Platform,
  secondary: Secondary,
  { request }: Exchange,
  { path, name, headers }: { path: string; name: string; headers: Record<string, string> },
): Passing {
  const ownRealm = `realm="${ownUrl(platform, secondary)}/jwt/auth"`
  return {
    name,
    headers({ headers: { 'www-authenticate': challenge } }) {
      if (challenge === undefined || !isOfRegistry(path)) return headers
      return { ...headers, 'www-authenticate': challenge.replace(/realm="[^"]*\/jwt\/auth"/, () => ownRealm) }
    },
    async onAnswer({ statusCode }) {
      if (!changesNothing(request)) forgetPermissions(platform)
      const caller = callerOf(platform, request)
      if (statusCode === 401 && caller !== anonymousCaller(platform)) await forget(platform, { caller })
    },
    ...(tokenPath.test(path) &&
      request.method === 'GET' && {
        onBody: ({ statusCode: status = 0 }, body) => noteTokenAnswer(platform, secondary, request, { status, body }),
      }),
  }
}

/** Answers all requests to a secondary (contract 15, "Requests to a secondary"); null on other servers. */
export function secondaryFront(platform: Platform): Service | null {
  if (platform.config.geo.role !== 'secondary') return null
  const name = ownName(platform)
  const headersOf = (served: 'local' | 'primary') => ({ 'X-Fennec-Geo-Node': name, 'X-Fennec-Geo-Served': served })
  return {
    async handle(request, reply) {
      const exchange = { request, reply }
      const secondary = secondaryOf(platform)
      reply.headers(headersOf('local'))
      if (request.headers[proxiedHeader] !== undefined) throw failure(400, '400 Bad request - Proxy loop')
      const path = request.url.split('?', 1)[0] ?? ''
      const outcome = await tryHere(platform, secondary, exchange, path)
      if (outcome === 'pass') {
        const headers = headersOf('primary')
        if (await passOn(platform, exchange, passing(platform, secondary, exchange, { path, name, headers }))) {
          countRequest(platform, 'proxy_remote_requests_event_count_weekly')
          if (path.endsWith('/git-receive-pack')) countRequest(platform, 'git_push_event_count_weekly')
          return true
        }
      }
      countRequest(platform, 'proxy_local_requests_event_count_weekly')
      if (outcome !== 'served') await answerWithoutPrimary(platform, secondary, exchange, path)
      return true
    },
  }
}
