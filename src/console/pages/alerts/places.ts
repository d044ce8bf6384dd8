import { addressOfPage } from '../../frame/addresses.ts'
import type { Visit } from '../../page.ts'

/** The address of a page about the alerts of the project. */
export const at = (visit: Visit, rest = ''): string => addressOfPage(visit, 'project', `alert_management${rest}`)
