import { notFound, readerOf, type Service } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { authenticatorOf, type Platform } from '../../../platform/index.ts'
import { findRoute, namespaceByPath } from '../../namespaces/index.ts'
import type { UploadOwner } from '../owner.ts'
import { type Address, currentUrl, decoded } from './reading.ts'

/** `/groups/<path>/-/uploads/…` or `/<project path>/uploads/…`. Only secrets tell these from paths of other services. */
const form = /^\/(?:groups\/(.+)\/-|(.+))\/uploads\/([0-9a-f]{10,32})\/([^/?]+)\/?(?:\?(.*))?$/

/** No group or project is named `-`; what follows it belongs to others. */
const hasDash = /(?:^|\/)-(?:\/|$)/

type Former = Address & { kind: UploadOwner['kind']; fullPath: string; search: string }

function parse(url: string): Former | null {
  const [matched, group, project, secret = '', filename = '', search = ''] = form.exec(url) ?? []
  const fullPath = group ?? project
  if (matched === undefined || fullPath === undefined || hasDash.test(fullPath)) return null
  return { kind: group ? 'group' : 'project', fullPath: decoded(fullPath), secret, filename: decoded(filename), search }
}

/** The owner with a path, also a former one of a project; null when there is none. */
async function ownerAt(db: Reader, { kind, fullPath }: Former): Promise<UploadOwner | null> {
  if (fullPath.includes('\u0000')) return null
  const row = kind === 'group' ? await namespaceByPath(db, fullPath) : null
  const id = kind === 'group' ? row?.id : (await findRoute(db, fullPath))?.projectId
  return id ? { kind, id } : null
}

/** Redirects older addresses of uploads, which hold a path (contract 08, x.upload_web_project_legacy and the one of groups). */
export function formerUploadPaths(platform: Platform): Service {
  const authenticator = authenticatorOf(platform)
  return {
    async handle(request, reply) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const former = parse(request.url)
      if (!former) return false
      request.operationId = `${former.kind}_uploads.redirect`
      const actor = await readerOf(request, former.search, authenticator, {})
      if (actor.kind === 'user') request.userId = actor.userId
      const owner = await ownerAt(platform.database.read, former)
      if (!owner) throw notFound()
      const location = await currentUrl(platform, actor, owner, former)
      reply.code(302).headers({ Location: location, 'Cache-Control': 'no-cache' }).send()
      return true
    },
  }
}
