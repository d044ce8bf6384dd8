import type { FastifyReply, FastifyRequest } from 'fastify'
import { anonymous, header, type Service } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { originOf, type Platform, pagesBase } from '../../../platform/index.ts'
import { isPublic, mayVisit } from '../access/rights.ts'
import { askToSignIn, returnPath, takeVisitor } from '../access/sign-in.ts'
import { isRefusal, visitorOf } from '../access/visitors.ts'
import { isHttpsOnly } from '../settings/present.ts'
import type { PagesDeploymentRow } from '../tables.ts'
import { sendFile, sendOwnPage, sendRedirect, sendText } from './answers.ts'
import { readPath, type SitePath } from './paths.ts'
import { describeRules } from './redirects.ts'
import { resolve, rulesOf } from './resolve.ts'
import { type FoundSite, findSite, isSiteHost, properOrigin } from './sites.ts'
import { deploymentsAt } from './store.ts'

const hostnameOf = (host: string) => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')

/**
 * The host of sites that a request names. A proxy may name another one than the request itself: one of them is enough, so that no
 * request to a site reaches the server by what it says of itself.
 * @returns null for a request to the server
 */
async function siteHostOf(platform: Platform, request: FastifyRequest): Promise<string | null> {
  for (const host of new Set([request.headers.host ?? '', request.host ?? ''].map(hostnameOf))) {
    if (host !== '' && (await isSiteHost(platform, host))) return host
  }
  return null
}

/** Whether a person waits for the answer, who can sign in. */
const isForPerson = (request: FastifyRequest) =>
  request.method === 'GET' && (header(request, 'accept') ?? '').includes('text/html')

/** Asks for credentials: equally where there is no site, so that an answer does not say which there are. */
function challenge(platform: Platform, request: FastifyRequest, reply: FastifyReply, hostname: string): void {
  if (isForPerson(request) && header(request, 'authorization') === undefined) {
    askToSignIn(platform, request, reply, hostname)
  } else sendOwnPage(reply, 401, { 'WWW-Authenticate': 'Basic realm="Pages"' })
}

/** The deployment of a path, and the path in it. A prefix without its slash is a folder without one. */
async function deploymentOf(platform: Platform, { project, depth }: FoundSite, { segments, isFolder }: SitePath) {
  const inSite = segments.slice(depth)
  const [first = ''] = inSite
  const found = await deploymentsAt(platform.database.read, project.id, ['', first], now(platform.clock))
  const at = (prefix: string) => found.find(({ path_prefix }) => path_prefix === prefix)
  const prefixed = first === '' ? undefined : at(first)
  const main = at('')
  const named = segments.slice(0, depth)
  if (prefixed) return { deployment: prefixed, named: [...named, first], path: { segments: inSite.slice(1), isFolder } }
  return main ? { deployment: main, named, path: { segments: inSite, isFolder } } : null
}

const encoded = (segments: readonly string[]) => segments.map((segment) => `/${encodeURIComponent(segment)}`).join('')

/** Sends what a visitor, who may see the site, has asked for. */
async function serve(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { deployment, named, path }: { deployment: PagesDeploymentRow; named: readonly string[]; path: SitePath },
  isOpen: boolean,
): Promise<void> {
  const prefix = encoded(named)
  if (path.segments.length === 0 && named.length > 0 && !path.isFolder) {
    return sendRedirect(reply, isOpen, 302, `${prefix}/`)
  }
  if (path.segments.length === 1 && path.segments[0] === '_redirects') {
    return sendText(reply, isOpen, describeRules(await rulesOf(platform, deployment)))
  }
  const encodings = header(request, 'accept-encoding') ?? ''
  const resolved = await resolve(platform, deployment, { path, prefix, encodings })
  if (resolved.kind === 'nothing') return sendOwnPage(reply, 404)
  if (resolved.kind === 'redirect') return sendRedirect(reply, isOpen, resolved.status, resolved.to)
  await sendFile(platform, request, reply, { ...resolved, deployment, isPublic: isOpen })
}

/** Where a site is to be visited instead; null when here. */
async function elsewhere(platform: Platform, request: FastifyRequest, hostname: string, found: FoundSite) {
  const inSite = (request.url.split('?', 1)[0] ?? '/').split('/').filter((segment) => segment !== '')
  const search = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : ''
  const origin = await properOrigin(platform, hostname, found)
  const slash = inSite.length > found.depth && /\/(?:\?|$)/.test(request.url) ? '/' : ''
  const path = `/${inSite.slice(found.depth).join('/')}${slash}${search}`
  if (origin !== null) return { status: 308, to: `${origin}${path}` }
  const isOnlyHttps = found.site ? isHttpsOnly(platform, found.site) : pagesBase(platform).protocol === 'https:'
  if (!isOnlyHttps || request.protocol === 'https') return null
  const base = pagesBase(platform)
  const port = base.protocol === 'https:' ? base.port : ''
  return { status: 307, to: `${originOf({ ...base, protocol: 'https:', port }, hostname)}${localUrl(request.url)}` }
}

/** The path and query of a request as they go into an address. */
const localUrl = (url: string) => `/${url.replace(/^\/+/, '')}`

/** Answers a request to a host of sites. */
async function answer(platform: Platform, request: FastifyRequest, reply: FastifyReply, hostname: string) {
  if (request.method !== 'GET' && request.method !== 'HEAD') return sendOwnPage(reply, 405, { Allow: 'GET, HEAD' })
  const path = readPath(request.url)
  if (!path) return sendOwnPage(reply, 400)
  if (hostname === pagesBase(platform).hostname) return sendOwnPage(reply, 404)
  if (request.url.split('?', 1)[0] === returnPath && request.method === 'GET') {
    if (!(await takeVisitor(platform, request, reply, hostname))) sendOwnPage(reply, 400)
    return
  }
  const found = await findSite(platform, hostname, path)
  const isOpen = found !== null && (await isPublic(platform, found.project))
  if (!isOpen) {
    const visitor = await visitorOf(platform, request, hostname).catch((error: unknown) => {
      if (!isRefusal(error)) throw error
      return null
    })
    if (!visitor) return sendOwnPage(reply, 401, { 'WWW-Authenticate': 'Basic realm="Pages"' })
    const mayBeThere = platform.config.pagesAccessControl
    if (!found || !(await mayVisit(platform, found.project, visitor))) {
      return visitor === anonymous && mayBeThere
        ? challenge(platform, request, reply, hostname)
        : sendOwnPage(reply, 404)
    }
  }
  const other = await elsewhere(platform, request, hostname, found)
  if (other) return sendRedirect(reply, isOpen, other.status, other.to)
  const target = await deploymentOf(platform, found, path)
  if (!target) return sendOwnPage(reply, 404)
  await serve(platform, request, reply, target, isOpen)
}

/** Serves sites at their hosts, where nothing of the server is (contract 24, Pages). */
export function siteHosts(platform: Platform): Service | null {
  const { config } = platform
  if (config.geo.role === 'secondary') return null
  return {
    async handle(request, reply) {
      if (!config.pagesEnabled) return false
      const hostname = await siteHostOf(platform, request)
      if (hostname === null) return false
      request.ownHeaders = true
      request.operationId = 'pages.serve'
      await answer(platform, request, reply, hostname)
      return true
    },
  }
}
