import { invalid, notFound, type PageRequest, type ParamValues, t, taken, type Unmodified } from '../../../api/index.ts'
import { claim, isUniqueViolation, now, type Reader } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import type { GroupDomainRow } from '../tables.ts'
import { presentDomain } from './present.ts'
import { deleteDomain, domainOf, insertDomain, pageOfDomains } from './store.ts'
import { removalOf, verifyDomain } from './verification.ts'

const ignored = t.string({ description: 'Accepted and ignored: no pages are served.' })

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
export async function listDomains({ database }: Platform, project: Project, page: PageRequest) {
  const found = await pageOfDomains(database.read, project.id, page)
  return { ...found, items: found.items.map(presentDomain) }
}

/** @throws ApiError 404 */
async function requireDomain(db: Reader, project: Project, domain: string): Promise<GroupDomainRow> {
  const row = domain.includes('\u0000') ? null : await domainOf(db, project.id, domain.toLowerCase())
  if (!row) throw notFound('PagesDomain')
  return row
}

/** @throws ApiError 404 */
export async function getDomain(platform: Platform, project: Project, domain: string) {
  return presentDomain(await requireDomain(platform.database.read, project, domain))
}

/** Adds a domain, which is then to be verified (contract 13, x.group_domain.create). @throws ApiError 400 */
export async function createDomain(
  platform: Platform,
  project: Project,
  { domain: written, auto_ssl_enabled = false }: NewDomain,
) {
  const { database, clock, externalUrl } = platform
  const domain = written.toLowerCase()
  const isHost = domain.length <= longestDomain && domainShape.test(domain)
  if (!isHost || domain === new URL(externalUrl).hostname) throw invalid({ domain: ['is invalid'] })
  const row = {
    project_id: project.id,
    domain,
    auto_ssl_enabled,
    verification_code: randomHex(codeBytes),
    remove_at: removalOf(platform),
    created_at: now(clock),
  }
  try {
    return presentDomain(await database.write((tx) => insertDomain(tx, row)))
  } catch (error) {
    throw isUniqueViolation(error, 'group_domains_domain_unique') ? invalid({ domain: [taken] }) : error
  }
}

/** Verifies a domain now (contract 13, x.group_domain.verify). @throws ApiError 404 or 422 */
export async function verify(platform: Platform, project: Project, domain: string) {
  return presentDomain(await verifyDomain(platform, await requireDomain(platform.database.read, project, domain)))
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
