import { isIP } from 'node:net'
import { isBelowHost } from '../../../config.ts'
import { originOf, type PagesBase, type Platform, pagesBase } from '../../../platform/index.ts'
import { domainById, domainNamed } from '../../enterprise-users/index.ts'
import { findRoute } from '../../namespaces/index.ts'
import { type ProjectRow, projectById } from '../../projects/index.ts'
import { homeNameOf } from '../addresses.ts'
import { siteOfProject } from '../settings/store.ts'
import type { PagesSiteRow } from '../tables.ts'
import type { SitePath } from './paths.ts'
import { siteNamed } from './store.ts'

/** A site, as the host and the path of a request name it. */
export type FoundSite = {
  project: ProjectRow
  /** Null where it has never been asked for. */
  site: PagesSiteRow | null
  /** How many segments of the path name the project. */
  depth: number
}

/** Folders of groups below each other, and the project. */
const deepest = 21

/** Whether a host is one of sites: below that of Pages, or a verified domain. It is then none of the server (contract 24, Pages: addresses). */
export async function isSiteHost(platform: Platform, hostname: string): Promise<boolean> {
  if (isBelowHost(hostname, pagesBase(platform).hostname)) return true
  const { externalUrl, config, database } = platform
  const own = [externalUrl, config.registryUrl ?? []].flat().map((url) => new URL(url).hostname)
  // What cannot be a domain is asked for most.
  if (own.includes(hostname) || !hostname.includes('.') || isIP(hostname.replace(/^\[|\]$/g, ''))) return false
  return (await domainNamed(database.read, hostname))?.verified === true
}

async function withSite(platform: Platform, projectId: number, depth: number): Promise<FoundSite | null> {
  const { read } = platform.database
  const [project, site] = await Promise.all([projectById(read, projectId), siteOfProject(read, projectId)])
  return project && !project.pending_delete ? { project, site, depth } : null
}

/** The site of a project below the host of its namespace. */
async function ofNamespace(
  platform: Platform,
  base: PagesBase,
  label: string,
  { segments }: SitePath,
): Promise<FoundSite | null> {
  const { read } = platform.database
  const named = async (path: string) => {
    const route = await findRoute(read, path)
    return route?.redirect ? null : route
  }
  if ((await named(label))?.namespaceId == null) return null
  for (let depth = 1; depth <= Math.min(segments.length, deepest); depth += 1) {
    const route = await named([label, ...segments.slice(0, depth)].join('/'))
    if (!route) break
    if (route.projectId !== null) return withSite(platform, route.projectId, depth)
  }
  const home = await named(`${label}/${homeNameOf(base, label)}`)
  return home?.projectId == null ? null : withSite(platform, home.projectId, 0)
}

/** The site at a host and a path; null when there is none. @param hostname for which `isSiteHost` is true */
export async function findSite(platform: Platform, hostname: string, path: SitePath): Promise<FoundSite | null> {
  const { read } = platform.database
  const base = pagesBase(platform)
  if (!isBelowHost(hostname, base.hostname)) {
    const domain = await domainNamed(read, hostname)
    return domain ? withSite(platform, domain.project_id, 0) : null
  }
  const label = hostname.slice(0, -base.hostname.length - 1)
  const unique = await siteNamed(read, label)
  if (unique) return unique.unique_domain_enabled ? withSite(platform, unique.project_id, 0) : null
  return label === '' ? null : ofNamespace(platform, base, label, path)
}

/** The origin at which a site is to be visited, where that is another one than this; null otherwise. */
export async function properOrigin(platform: Platform, hostname: string, { site }: FoundSite): Promise<string | null> {
  if (!site) return null
  const base = pagesBase(platform)
  const primary =
    site.primary_domain_id === null ? null : await domainById(platform.database.read, site.primary_domain_id)
  if (primary?.verified) return primary.domain === hostname ? null : originOf(base, primary.domain)
  const unique = `${site.unique_name}.${base.hostname}`
  const isOfNamespace = isBelowHost(hostname, base.hostname) && hostname !== unique
  return isOfNamespace && site.unique_domain_enabled ? originOf(base, unique) : null
}
