import { addressOfPage } from '../../frame/addresses.ts'
import type { Visit } from '../../page.ts'

/** The address of a page of the registry of the project. */
export const at = (visit: Visit, rest = ''): string => addressOfPage(visit, 'project', `container_registry${rest}`)

/** The last step to a repository, by its name. */
export const nameOf = ({ name, path }: { name: string; path: string }): string => (name === '' ? path : name)

/** The address of the page of a tag. */
export const tagAddress = (visit: Visit, id: number, tag: string): string =>
  at(visit, `/${id}/tags/${encodeURIComponent(tag)}`)
