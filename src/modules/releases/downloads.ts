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

const releases = /^\/([^?]+?)\/-\/releases\/([^?]+)$/
const source = /^\/([^?]+?)\/-\/archive\/([^?]+)\/[^/?]+\.(zip|tar\.gz|tar\.bz2|tar)$/

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

/** What a path behind `/-/releases/` asks for: a link of a release, or the newest release and what lies behind it. */
function wantedOf(rest: string): { tag: string; filepath: string } | { latest: string } | null {
  const permalink = /^permalink\/latest(\/.*)?$/.exec(rest)
  if (permalink) return { latest: decode(permalink[1] ?? '') }
  const [, tag, filepath] = /^([^/]+)\/downloads(\/.+)$/.exec(rest) ?? []
  return tag && filepath ? { tag: decode(tag), filepath: decode(filepath) } : null
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

  async function toLatest(project: Project, rest: string): Promise<string> {
    const release = await latestRelease(db, project.id, now(clock))
    if (!release) throw notFound()
    const place = { externalUrl, project, tag: release.tag }
    const filepath = /^\/downloads(\/.+)$/.exec(rest)?.[1]
    return filepath ? downloadUrl(place, filepath.split('/').map(encodeURIComponent).join('/')) : releaseUrl(place)
  }

  return {
    async handle(request, reply) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const [path = '', search = ''] = request.url.split('?', 2)
      const [, sourcePath, ref, format] = source.exec(path) ?? []
      if (sourcePath && ref) {
        request.operationId = 'releases.source'
        const project = encodeURIComponent(decode(sourcePath))
        const query = [`sha=${encodeURIComponent(decode(ref))}`, ...(search ? [search] : [])].join('&')
        return redirect(reply, `${externalUrl}/api/v4/projects/${project}/repository/archive.${format}?${query}`)
      }
      const [, fullPath, rest = ''] = releases.exec(path) ?? []
      const wanted = fullPath ? wantedOf(rest) : null
      if (!fullPath || !wanted) return false
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
