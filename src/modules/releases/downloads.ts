/** The addresses that a release tells besides those of the API: where its links, its newest and its source are found. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type Actor,
  type Authenticator,
  authenticate,
  dayOf,
  notFound,
  parseNestedParameters,
  reading,
  requireScope,
  type Service,
} from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now } from '../../infra/database/index.ts'
import { may, type Project, visibleProject } from '../projects/index.ts'
import { seesReleases } from './access.ts'
import { downloadUrl, releaseUrl } from './addresses.ts'
import { latestRelease, linkAt, releaseOnTag } from './store.ts'

export type ReleaseDownloadsNeeds = {
  database: Database
  clock: Clock
  authenticator: Authenticator
  externalUrl: string
}

const sourceName = /^.+\.(zip|tar\.gz|tar\.bz2|tar)$/

/** Above this no client would read where it is sent. */
const longestUrl = 8_000

/** The parts of an address of a project; no project is called `-`. Null for any other address. */
function partsOf(url: string): { fullPath: string; rest: string; search: string } | null {
  if (url.length > longestUrl) return null
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const middle = path.indexOf('/-/')
  if (middle < 1) return null
  return { fullPath: path.slice(1, middle), rest: path.slice(middle + 3), search: mark < 0 ? '' : url.slice(mark + 1) }
}

/** @throws ApiError 404 for escapes that are none, and for U+0000, which no name holds */
function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text)
    if (!decoded.includes('\u0000')) return decoded
  } catch {
    // Told like any other name that nothing has.
  }
  throw notFound()
}

type Wanted = { ref: string; format: string } | { tag: string; filepath: string } | { latest: string }

/** What a path behind `/-/` asks for: the source, a link of a release, or the newest release and what lies behind it. */
function wantedOf(rest: string): Wanted | null {
  const [room = '', ...segments] = rest.split('/')
  if (room === 'archive') {
    const format = sourceName.exec(segments.pop() ?? '')?.[1]
    const ref = segments.join('/')
    return format && ref ? { ref: decode(ref), format } : null
  }
  if (room !== 'releases') return null
  const behind = segments.slice(2).join('/')
  if (segments[0] === 'permalink' && segments[1] === 'latest') return { latest: decode(behind) }
  const [tag, downloads] = segments
  return tag && downloads === 'downloads' && behind ? { tag: decode(tag), filepath: `/${decode(behind)}` } : null
}

function redirect(reply: FastifyReply, location: string): true {
  reply.code(302).headers({ Location: location, 'Cache-Control': 'no-cache' }).send()
  return true
}

/**
 * Answers these addresses for everybody who may read the release by the API. The source is the API's own: who may have it is
 * decided there.
 */
export function createReleaseDownloads({
  database,
  clock,
  authenticator,
  externalUrl,
}: ReleaseDownloadsNeeds): Service {
  const db = database.read

  async function actorOf(request: FastifyRequest, search: string): Promise<Actor> {
    const query = parseNestedParameters(search)
    const actor = await authenticate(
      { headers: request.headers, ip: request.ip, raw: query, query },
      authenticator,
      true,
    )
    requireScope(actor, reading)
    if (actor.kind === 'user') request.userId = actor.userId
    return actor
  }

  /** @throws ApiError 404 when the actor may not read releases there */
  async function projectAt(fullPath: string, actor: Actor): Promise<Project> {
    // A number alone would be taken for an id.
    const project = fullPath.includes('/') ? await visibleProject(db, fullPath, actor, dayOf(clock.now())) : null
    if (!project || !seesReleases(actor, project) || !may(actor, project, 'read_code')) throw notFound()
    return project
  }

  async function toLink(project: Project, tag: string, filepath: string): Promise<string> {
    const release = await releaseOnTag(db, project.id, tag)
    const link = release && (await linkAt(db, release.id, filepath))
    if (!link) throw notFound()
    // What people write need not be what a header may carry.
    return new URL(link.url).href
  }

  /** @param behind what follows the address of the release: `downloads/` and the path of a link */
  async function toLatest(project: Project, behind: string): Promise<string> {
    const release = await latestRelease(db, project.id, now(clock))
    if (!release) throw notFound()
    const place = { externalUrl, project, tag: release.tag }
    const filepath = /^downloads(\/.+)$/.exec(behind)?.[1]
    return filepath ? downloadUrl(place, filepath.split('/').map(encodeURIComponent).join('/')) : releaseUrl(place)
  }

  function sourceAddress(fullPath: string, { ref, format }: { ref: string; format: string }, search: string): string {
    const query = [`sha=${encodeURIComponent(ref)}`, ...(search ? [search] : [])].join('&')
    return `${externalUrl}/api/v4/projects/${encodeURIComponent(fullPath)}/repository/archive.${format}?${query}`
  }

  return {
    async handle(request, reply) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const parts = partsOf(request.url)
      const wanted = parts && wantedOf(parts.rest)
      if (!parts || !wanted) return false
      const { fullPath, search } = parts
      if ('ref' in wanted) {
        request.operationId = 'releases.source'
        return redirect(reply, sourceAddress(decode(fullPath), wanted, search))
      }
      request.operationId = 'latest' in wanted ? 'releases.permalink' : 'releases.download'
      const project = await projectAt(decode(fullPath), await actorOf(request, search))
      return redirect(
        reply,
        'latest' in wanted
          ? await toLatest(project, wanted.latest)
          : await toLink(project, wanted.tag, wanted.filepath),
      )
    },
  }
}
