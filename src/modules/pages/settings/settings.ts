import { badRequest, type ParamValues, t, type Unmodified } from '../../../api/index.ts'
import { now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { domainById, domainOfProject } from '../../enterprise-users/index.ts'
import type { Project } from '../../projects/index.ts'
import { mostPrefixed } from '../publishing/publish.ts'
import { removeLater } from '../publishing/removal.ts'
import { deleteDeploymentsOf, deploymentsOf } from '../publishing/store.ts'
import type { PagesSiteRow } from '../tables.ts'
import { type PresentedSettings, presentSettings } from './present.ts'
import { requireSite } from './site.ts'
import { updateSite } from './store.ts'

export const settingsChanges = {
  pages_unique_domain_enabled: t.boolean({ description: 'Whether the site has a host for itself.' }),
  pages_https_only: t.boolean({ description: 'Whether requests by http are led to https.' }),
  pages_primary_domain: t.string({
    description: 'A verified domain of the project, to which the other addresses lead; empty for none.',
  }),
  pages_default_domain_redirect: t.string({ description: 'The old name of `pages_primary_domain`.' }),
}
type SettingsChanges = ParamValues<typeof settingsChanges>

/** The domain to which the other addresses of a site lead; null for none, also while it is not verified. */
async function primaryDomainOf(db: Reader, { primary_domain_id: id }: PagesSiteRow): Promise<string | null> {
  const row = id === null ? null : await domainById(db, id)
  return row?.verified ? row.domain : null
}

/** The site of a project (contract 24, x.pages_get). */
export async function getSettings(platform: Platform, project: Project): Promise<PresentedSettings> {
  const { database, clock } = platform
  const site = await requireSite(platform, project)
  const [deployments, primaryDomain] = await Promise.all([
    deploymentsOf(database.read, project.id, now(clock), mostPrefixed + 1),
    primaryDomainOf(database.read, site),
  ])
  return presentSettings(platform, { project, site, deployments, primaryDomain })
}

const noSuchDomain =
  'The `pages_primary_domain` attribute is missing from the domain list in the Pages project configuration. ' +
  'Assign `pages_primary_domain` to the Pages project or reset it.'

/** @throws ApiError 400 */
async function primaryDomainId(db: Reader, project: Project, domain: string): Promise<number | null> {
  if (domain === '') return null
  const row = await domainOfProject(db, project.id, domain)
  if (!row?.verified) throw badRequest(noSuchDomain)
  return row.id
}

/** Changes the site of a project (contract 24, x.pages_update). @throws ApiError 400 */
export async function changeSettings(
  platform: Platform,
  project: Project,
  given: SettingsChanges,
  act: (tx: Tx) => Promise<void>,
): Promise<PresentedSettings> {
  const { pages_unique_domain_enabled: isUnique, pages_https_only: httpsOnly } = given
  const domain = given.pages_primary_domain ?? given.pages_default_domain_redirect
  await requireSite(platform, project)
  await platform.database.write(async (tx) => {
    const changes = {
      ...(isUnique !== undefined && { unique_domain_enabled: isUnique }),
      ...(httpsOnly !== undefined && { https_only: httpsOnly }),
      ...(domain !== undefined && { primary_domain_id: await primaryDomainId(tx, project, domain) }),
    }
    if (Object.keys(changes).length === 0) return
    await updateSite(tx, project.id, changes)
    await act(tx)
  })
  return getSettings(platform, project)
}

/** Deletes everything that was published of a project; settings and domains stay (contract 24, x.pages_delete). */
export async function unpublish(
  platform: Platform,
  project: Project,
  unmodified: Unmodified,
  act: (tx: Tx) => Promise<void>,
): Promise<void> {
  await platform.database.write(async (tx) => {
    const [newest] = await deploymentsOf(tx, project.id, now(platform.clock), 1)
    if (newest) unmodified(newest.created_at)
    const deleted = await deleteDeploymentsOf(tx, project.id)
    await removeLater(platform, tx, deleted)
    if (deleted.length > 0) await act(tx)
  })
}
