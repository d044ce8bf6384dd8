import { addressOfPage } from '../../frame/addresses.ts'
import type { Visit } from '../../page.ts'

/** The address of a page about the alerts of the project. */
export const at = (visit: Visit, rest = ''): string => addressOfPage(visit, 'project', `alert_management${rest}`)

/** The number of the alert that the address names; 0, which none has, for another text. */
export const alertOf = ({ params: { alert = '' } }: Visit): number => (/^\d{1,15}$/.test(alert) ? Number(alert) : 0)
