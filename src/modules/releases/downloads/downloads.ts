import type { FastifyReply } from 'fastify'
import { type Actor, anonymous, dayOf, notFound, readerOf, type Service } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { authenticatorOf, type Platform } from '../../../platform/index.ts'
import { may, type Project, visibleProject } from '../../projects/index.ts'
import { seesReleases } from '../access.ts'
import { downloadUrl, releaseUrl } from '../addresses.ts'
import { latestRelease, releaseOnTag } from '../core/store.ts'
import { linkAt } from '../links/store.ts'

const archiveName = /^.+\.(zip|tar\.gz|tar\.bz2|tar)$/

/** Clients do not follow redirects to longer addresses. */
const longestUrl = 8_000

/** The parts of an address below a project, or null for other addresses. No project is named `-`. */
function partsOf(url: string): { fullPath: string; rest: string; search: string } | null {
  if (url.length > longestUrl) return null
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const middle = path.indexOf('/-/')
  if (middle < 1) return null
  return { fullPath: path.slice(1, middle), rest: path.slice(middle + 3), search: mark < 0 ? '' : url.slice(mark + 1) }
}

/** @throws ApiError 404 for invalid escapes and for U+0000, which no name contains */
function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text)
    if (!decoded.includes('\u0000')) return decoded
  } catch {
    // Answered below, like a name that does not exist.
  }
  throw notFound()
}

type Target = { ref: string; format: string } | { tag: string; filepath: string } | { latest: string }

/** Parses the path after `/-/`: a source archive, a link of a release, or the latest release and a suffix. */
function targetOf(rest: string): Target | null {
  const [kind = '', ...segments] = rest.split('/')
  if (kind === 'archive') {
    const format = archiveName.exec(segments.pop() ?? '')?.[1]
    const ref = segments.join('/')
    return format && ref ? { ref: decode(ref), format } : null
  }
  if (kind !== 'releases') return null
  const suffix = segments.slice(2).join('/')
  if (segments[0] === 'permalink' && segments[1] === 'latest') return { latest: decode(suffix) }
  const [tag, downloads] = segments
  return tag && downloads === 'downloads' && suffix ? { tag: decode(tag), filepath: `/${decode(suffix)}` } : null
}

function redirect(reply: FastifyReply, location: string): true {
  reply.code(302).headers({ Location: location, 'Cache-Control': 'no-cache' }).send()
  return true
}

/** @throws ApiError 404 unless the caller may read the project's releases and code */
async function requireProject({ database, clock }: Platform, fullPath: string, actor: Actor): Promise<Project> {
  // A path without a slash could be taken for an id.
  const project = fullPath.includes('/')
    ? await visibleProject(database.read, fullPath, actor, dayOf(clock.now()))
    : null
  if (!project || !seesReleases(actor, project) || !may(actor, project, 'read_code')) throw notFound()
  return project
}

/** The URL of a link that has this path below its release (contract 22, x.releases_download). @throws ApiError 404 */
export async function linkUrl(
  { database }: Platform,
  project: Project,
  tag: string,
  filepath: string,
): Promise<string> {
  const release = await releaseOnTag(database.read, project.id, tag)
  const link = release && (await linkAt(database.read, release.id, filepath))
  if (!link) throw notFound()
  // Encodes characters that a header may not contain.
  return new URL(link.url).href
}

/** @param suffix what follows the address of the release: `downloads/` and the path of a link */
async function latestUrl(platform: Platform, project: Project, suffix: string): Promise<string> {
  const { database, clock, externalUrl } = platform
  const release = await latestRelease(database.read, project.id, now(clock))
  if (!release) throw notFound()
  const location = { externalUrl, project, tag: release.tag }
  const filepath = /^downloads(\/.+)$/.exec(suffix)?.[1]
  return filepath ? downloadUrl(location, filepath.split('/').map(encodeURIComponent).join('/')) : releaseUrl(location)
}

/** The archive of the API; of a browser, which has no token, the one beside the pages. */
function archiveUrl(
  { externalUrl }: Platform,
  actor: Actor,
  fullPath: string,
  { ref, format }: { ref: string; format: string },
  search: string,
): string {
  if (actor.kind === 'user' && actor.credential.kind === 'session') {
    const path = [...fullPath.split('/'), '-', 'download', format, ...ref.split('/')].map(encodeURIComponent).join('/')
    return `${externalUrl}/${path}${search ? `?${search}` : ''}`
  }
  const query = [`sha=${encodeURIComponent(ref)}`, ...(search ? [search] : [])].join('&')
  return `${externalUrl}/api/v4/projects/${encodeURIComponent(fullPath)}/repository/archive.${format}?${query}`
}

/** Redirects the web addresses of links, the latest release and source archives (contract 22, Release). */
export function releaseDownloads(platform: Platform): Service {
  const authenticator = authenticatorOf(platform)
  return {
    async handle(request, reply) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const parts = partsOf(request.url)
      const target = parts && targetOf(parts.rest)
      if (!parts || !target) return false
      const { search } = parts
      const fullPath = decode(parts.fullPath)
      request.operationId =
        'ref' in target ? 'releases.source' : 'latest' in target ? 'releases.permalink' : 'releases.download'
      const reading = readerOf(request, search, authenticator, { jobToken: true })
      // What gives the archive checks the token.
      const actor = await ('ref' in target ? reading.catch(() => anonymous) : reading)
      if (actor.kind === 'user') request.userId = actor.userId
      if ('ref' in target) return redirect(reply, archiveUrl(platform, actor, fullPath, target, search))
      const project = await requireProject(platform, fullPath, actor)
      const location =
        'latest' in target
          ? await latestUrl(platform, project, target.latest)
          : await linkUrl(platform, project, target.tag, target.filepath)
      return redirect(reply, location)
    },
  }
}
