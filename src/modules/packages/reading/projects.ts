import { forbidden, notFound } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { hiddenGroup, type ServedPlace } from '../access/places.ts'
import { authenticationRequired } from '../access/problems.ts'
import { readableProjects } from '../access/readable.ts'
import type { Name } from '../core/store.ts'
import { projectsOfName } from './store.ts'

/** The namespace that a place is about, for the settings of its groups; null: the server. */
export const namespaceOf = (place: ServedPlace): number | null =>
  'project' in place ? place.project.namespace_id : 'group' in place ? place.group.id : null

/**
 * The projects of a place that have a name and that the caller may read.
 * @param namespaceId the namespace whose projects are meant, where it is not that of the place
 * @throws ApiError 401 or 403 when there are some, of which the caller may read none; 401 or 404 when they do not see the group either
 */
export async function projectsWithName(
  platform: Platform,
  place: ServedPlace,
  name: Name,
  namespaceId: number | null = namespaceOf(place),
): Promise<number[]> {
  if ('project' in place) return [place.project.id]
  if (namespaceId === null) return []
  const ids = await projectsOfName(platform.database.read, namespaceId, name)
  const { isSeen, includesOpen } = 'group' in place ? place : { isSeen: true, includesOpen: false }
  const readable = await readableProjects(platform, place.caller, { namespaceId, ids, includesOpen })
  if (readable.length === 0 && !isSeen) throw hiddenGroup(place.caller)
  if (ids.length > 0 && readable.length === 0) {
    throw place.caller.kind === 'anonymous' ? authenticationRequired() : forbidden()
  }
  return readable.map(({ id }) => id)
}

/** 404 for a name without a package. */
export const noPackages = () => notFound('Packages')
