import { originOf, type PagesBase } from '../../platform/index.ts'

/** Root and rest of the full path of a project. */
export function partsOf(fullPath: string): { root: string; rest: string } {
  const slash = fullPath.indexOf('/')
  return { root: fullPath.slice(0, slash), rest: fullPath.slice(slash + 1) }
}

/** The name of a project whose site is at `/` of the host of its root namespace. */
export const homeNameOf = ({ hostname }: PagesBase, root: string): string => `${root}.${hostname}`.toLowerCase()

/** A site as far as its addresses go. */
type Addressed = { fullPath: string; uniqueName: string; isUnique: boolean }

/** The address of the main site of a project, without a slash at its end (contract 24, Pages: addresses). */
export function siteUrl(base: PagesBase, { fullPath, uniqueName, isUnique }: Addressed): string {
  if (isUnique) return originOf(base, `${uniqueName}.${base.hostname}`)
  const { root, rest } = partsOf(fullPath)
  const origin = originOf(base, `${root.toLowerCase()}.${base.hostname}`)
  return rest.toLowerCase() === homeNameOf(base, root) ? origin : `${origin}/${rest}`
}

const longestSlug = 56

/** The readable part of the name that a site has for itself: the path of its project as a label of a host. */
export function labelOf(projectPath: string): string {
  const label = projectPath
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longestSlug)
    .replace(/^-+|-+$/g, '')
  return label === '' ? 'site' : label
}
