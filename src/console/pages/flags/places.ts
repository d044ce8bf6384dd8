import { addressOfPage } from '../../frame/addresses.ts'
import type { Visit } from '../../page.ts'

/** The address of a page about the feature flags of the project. */
export const at = (visit: Visit, rest = ''): string => addressOfPage(visit, 'project', `feature_flags${rest}`)

export const atFlag = (visit: Visit, name: string): string => at(visit, `/${encodeURIComponent(name)}`)
