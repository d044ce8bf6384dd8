import { invalid, notFound, type PageRequest, type ParamValues, t, taken, type Unmodified } from '../../../api/index.ts'
import { isBelowHost } from '../../../config.ts'
import { acquireLock, claim, isUniqueViolation, now, type Reader } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import { type Platform, pagesBase } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import type { GroupDomainRow } from '../tables.ts'
import { presentDomain } from './present.ts'
import {
  countDomains,
  deleteDomain,
  domainOf,
  insertDomain,
  pageOfAllDomains,
  pageOfDomains,
  updateDomain,
} from './store.ts'
import { removalOf, verifyDomain } from './verification.ts'

const ignored = t.string({ description: 'Accepted and ignored: TLS ends at the proxy.' })
/** Domains of one project (contract 24, Limits). */
const mostDomains = 20

export const domainChanges = {
  auto_ssl_enabled: t.boolean({ description: 'Only stored.' }),
  certificate: ignored,
  key: ignored,
}
type DomainChanges = ParamValues<typeof domainChanges>

export const newDomain = {
  domain: t.required(t.string()),
  auto_ssl_enabled: t.boolean({ description: 'Only stored.' }),
  certificate: ignored,
  key: ignored,
}
type NewDomain = ParamValues<typeof newDomain>

const longestDomain = 253
const codeBytes = 16
/** Labels of letters, digits and dashes; the last has a letter, as that of an IPv4 address has not. */
const domainShape =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** A page of the domains of a project (contract 13, x.group_domain.list). */
export async function listDomains(platform: Platform, project: Project, page: PageRequest) {
  const found = await pageOfDomains(platform.database.read, project.id, page)
  return { ...found, items: found.items.map((row) => presentDomain(platform, row)) }
}

/** @throws ApiError 404 */
async function requireDomain(db: Reader, project: Project, domain: string): Promise<GroupDomainRow> {
  const row = domain.includes('\u0000') ? null : await domainOf(db, project.id, domain.toLowerCase())
  if (!row) throw notFound('PagesDomain')
  return row
}

/** @throws ApiError 404 */
export async function getDomain(platform: Platform, project: Project, domain: string) {
  return presentDomain(platform, await requireDomain(platform.database.read, project, domain))
}

/** Whether a host is one of the server, or one where its sites are. */
function isOwnHost(platform: Platform, domain: string): boolean {
  const hosts = [platform.externalUrl, platform.config.registryUrl ?? []].flat().map((url) => new URL(url).hostname)
  return hosts.includes(domain) || isBelowHost(domain, pagesBase(platform).hostname)
}

/** Adds a domain, which is then to be verified (contract 13, x.group_domain.create). @throws ApiError 400 */
export async function createDomain(
  platform: Platform,
  project: Project,
  { domain: written, auto_ssl_enabled = false }: NewDomain,
) {
  const { database, clock } = platform
  const domain = written.toLowerCase()
  const isHost = domain.length <= longestDomain && domainShape.test(domain)
  if (!isHost || isOwnHost(platform, domain)) throw invalid({ domain: ['is invalid'] })
  const row = {
    project_id: project.id,
    domain,
    auto_ssl_enabled,
    verification_code: randomHex(codeBytes),
    remove_at: removalOf(platform),
    created_at: now(clock),
  }
  try {
    const stored = await database.write(async (tx) => {
      await acquireLock(tx, `group_domains:${project.id}`)
      if ((await countDomains(tx, project.id)) >= mostDomains) {
        throw invalid({ base: [`Maximum number of domains (${mostDomains}) exceeded`] })
      }
      return insertDomain(tx, row)
    })
    return presentDomain(platform, stored)
  } catch (error) {
    throw isUniqueViolation(error, 'group_domains_domain_unique') ? invalid({ domain: [taken] }) : error
  }
}

/** A page of the domains of all projects (contract 24, x.pages_domains_all). @throws ApiError 404 for one that no project has */
export async function listAllDomains(platform: Platform, domain: string | undefined, page: PageRequest) {
  const found = await pageOfAllDomains(platform.database.read, domain?.toLowerCase(), page)
  if (domain !== undefined && found.total === 0) throw notFound('PagesDomain')
  return { ...found, items: found.items.map((row) => presentDomain(platform, row)) }
}

/** Changes a domain (contract 24, x.pages_domain_update). @throws ApiError 404 */
export async function changeDomain(
  platform: Platform,
  project: Project,
  domain: string,
  { auto_ssl_enabled }: DomainChanges,
) {
  return platform.database.write(async (tx) => {
    const row = await claim(tx, 'group_domains', () => requireDomain(tx, project, domain))
    const changed = auto_ssl_enabled === undefined ? row : await updateDomain(tx, row.id, { auto_ssl_enabled })
    return presentDomain(platform, changed ?? row)
  })
}

/** Verifies a domain now (contract 13, x.group_domain.verify). @throws ApiError 404 or 422 */
export async function verify(platform: Platform, project: Project, domain: string) {
  return presentDomain(
    platform,
    await verifyDomain(platform, await requireDomain(platform.database.read, project, domain)),
  )
}

/** Deletes a domain; its enterprise users stay such. @throws ApiError 404 or 412 */
export async function removeDomain(
  platform: Platform,
  project: Project,
  domain: string,
  unmodified: Unmodified,
): Promise<void> {
  await platform.database.write(async (tx) => {
    const row = await claim(tx, 'group_domains', () => requireDomain(tx, project, domain))
    unmodified(row.created_at)
    await deleteDomain(tx, row.id)
  })
}
