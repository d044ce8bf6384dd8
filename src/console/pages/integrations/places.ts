import { addressOfPage } from '../../frame/addresses.ts'
import type { Visit } from '../../page.ts'

/** Where integrations are set up. */
export type Place = 'project' | 'group'

/** The address of the integrations of a project or group, or of one of them. */
export const at = (visit: Visit, place: Place, slug?: string): string =>
  addressOfPage(visit, place, `settings/integrations${slug ? `/${slug}` : ''}`)
