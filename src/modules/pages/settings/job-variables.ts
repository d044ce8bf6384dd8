import { type Platform, pagesBase } from '../../../platform/index.ts'
import type { ConfigPages } from '../../ci-config/index.ts'
import { type ProjectRow, settingOf } from '../../projects/index.ts'
import { siteUrl } from '../addresses.ts'
import { prefixOf } from '../publishing/prefix.ts'
import { requireSite } from './site.ts'

/**
 * What a job knows of the site of its project (contract 24, Pages: addresses).
 * @param pages of the job; null: it publishes nothing
 * @param expand replaces references to variables
 * @returns nothing where the project has no site
 */
export async function variablesOfSite(
  platform: Platform,
  project: ProjectRow,
  pages: Pick<ConfigPages, 'pathPrefix'> | null,
  expand: (text: string) => string,
): Promise<Record<string, string>> {
  if (!platform.config.pagesEnabled || settingOf(project, 'pages_access_level') === 'disabled') return {}
  const { unique_name: uniqueName, unique_domain_enabled: isUnique } = await requireSite(platform, project)
  const base = pagesBase(platform)
  const url = siteUrl(base, { fullPath: project.full_path, uniqueName, isUnique })
  const prefix = pages && prefixOf(platform, pages, expand)
  return {
    CI_PAGES_DOMAIN: base.hostname,
    CI_PAGES_HOSTNAME: new URL(url).hostname,
    CI_PAGES_URL: prefix ? `${url}/${prefix}` : url,
  }
}
