import { addressOfPage } from '../../frame/addresses.ts'
import type { Visit } from '../../page.ts'

/** The address of a page of the project. */
export const at = (visit: Visit, path: string): string => addressOfPage(visit, 'project', path)
