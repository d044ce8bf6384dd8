import { hasTier } from '../../../config.ts'
import type { Platform } from '../../../platform/index.ts'
import { type ConfigPages, slugOf } from '../../ci-config/index.ts'

/**
 * The first segment of the paths of a site, as its job asks for it (contract 24, Pages: what is published).
 * @param expand replaces references to variables
 * @returns null for the main site; empty where nothing is left of the name
 */
export function prefixOf(
  { config }: Pick<Platform, 'config'>,
  { pathPrefix }: Pick<ConfigPages, 'pathPrefix'>,
  expand: (text: string) => string,
): string | null {
  const isMain = pathPrefix === null || pathPrefix === '' || !hasTier(config.edition, 'premium')
  return isMain ? null : slugOf(expand(pathPrefix))
}
