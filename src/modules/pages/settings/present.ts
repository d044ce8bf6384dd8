import { forms, type Static, Type } from '../../../api/index.ts'
import { type Platform, pagesBase } from '../../../platform/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { siteUrl } from '../addresses.ts'
import type { PagesDeploymentRow, PagesSiteRow } from '../tables.ts'

/** What was published of a project, at one address. */
const PagesDeployment = Type.Object(
  {
    created_at: forms.timestamp,
    url: Type.String(),
    path_prefix: Type.String({ description: 'Empty for the main site.' }),
    root_directory: forms.nullableString,
  },
  { title: 'PagesDeployment' },
)

/** The site of a project (contract 24, PagesSettings). */
export const PagesSettings = Type.Object(
  {
    url: Type.String(),
    is_unique_domain_enabled: Type.Boolean(),
    force_https: Type.Boolean(),
    deployments: Type.Array(PagesDeployment),
    primary_domain: forms.nullableString,
  },
  { title: 'PagesSettings' },
)
export type PresentedSettings = Static<typeof PagesSettings>

/** A site with everything that is shown of it. */
type Shown = {
  project: ProjectRow
  site: PagesSiteRow
  deployments: readonly PagesDeploymentRow[]
  primaryDomain: string | null
}

/** Whether requests by http are led to https. */
export const isHttpsOnly = (platform: Platform, { https_only }: Pick<PagesSiteRow, 'https_only'>): boolean =>
  https_only ?? pagesBase(platform).protocol === 'https:'

export function presentSettings(
  platform: Platform,
  { project, site, deployments, primaryDomain }: Shown,
): PresentedSettings {
  const { unique_name: uniqueName, unique_domain_enabled: isUnique } = site
  const url = siteUrl(pagesBase(platform), { fullPath: project.full_path, uniqueName, isUnique })
  return {
    url,
    is_unique_domain_enabled: isUnique,
    force_https: isHttpsOnly(platform, site),
    deployments: deployments.map(({ created_at, path_prefix, root_directory }) => ({
      ...{ created_at, url: path_prefix === '' ? url : `${url}/${path_prefix}`, path_prefix, root_directory },
    })),
    primary_domain: primaryDomain,
  }
}
