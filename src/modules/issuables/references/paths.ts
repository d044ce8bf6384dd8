import type { Reader } from '../../../infra/database/index.ts'
import { valuesByKey } from '../../../infra/grouping/index.ts'
import { findRoutes, namespaceById } from '../../namespaces/index.ts'
import { projectById, projectsByIds } from '../../projects/index.ts'
import type { Place } from '../answers.ts'
import type { Issuable } from '../issuable.ts'
import { signs, type TextReference } from './text.ts'

/** Where a text stands: its references without a path are to this project, or to this group. */
export type Home = { projectId: number | null; groupId: number | null }

/** Finds the project or group of a path: `group/project`, or for a project beside the text's own only `project`. */
async function ownersOf(db: Reader, paths: readonly string[], siblings: string | null) {
  const beside = (path: string) => (siblings === null || path.includes('/') ? null : `${siblings}/${path}`)
  const routes = await findRoutes(db, [...paths, ...paths.flatMap((path) => beside(path) ?? [])])
  return (path: string) => routes.get(path.toLowerCase()) ?? routes.get(beside(path)?.toLowerCase() ?? '')
}

/** A reference with the place to which it is. */
type PlacedReference = { reference: TextReference; place: Place }

/** The references of a text with their places; those with paths that do not exist are left out. One query for all paths. */
export async function placedReferences(
  db: Reader,
  references: readonly TextReference[],
  home: Home,
): Promise<PlacedReference[]> {
  const own = home.projectId === null ? null : await projectById(db, home.projectId)
  const siblings = own?.full_path.replace(/\/[^/]*$/, '') ?? null
  const ownerOf = await ownersOf(
    db,
    references.flatMap(({ path }) => path ?? []),
    siblings,
  )
  const found: PlacedReference[] = []
  for (const reference of references) {
    const { type, path, iid } = reference
    const route = path === null ? null : ownerOf(path)
    const projectId = path === null ? home.projectId : route?.projectId
    const groupId = path === null ? (home.groupId ?? own?.namespace_id) : route?.namespaceId
    const place = type === 'Epic' ? groupId && { groupId, iid } : projectId && { projectId, iid }
    if (place) found.push({ reference, place })
  }
  return found
}

/** The places to which references of a text are, by the type of what is there. */
export async function placesOf(
  db: Reader,
  references: readonly TextReference[],
  home: Home,
): Promise<Map<TextReference['type'], Place[]>> {
  return valuesByKey(
    await placedReferences(db, references, home),
    ({ reference }) => reference.type,
    ({ place }) => place,
  )
}

/** A reference to an issuable as a text of another project or group writes it: `#1`, or `group/project#1`. */
export async function referenceTo(
  db: Reader,
  { type, iid, projectId, groupId }: Issuable,
  home: Home,
): Promise<string> {
  const short = `${signs[type]}${iid}`
  if (projectId !== null) {
    if (projectId === home.projectId) return short
    return `${(await projectsByIds(db, [projectId]))[0]?.full_path ?? ''}${short}`
  }
  if (groupId === home.groupId) return short
  return `${(await namespaceById(db, groupId ?? 0))?.full_path ?? ''}${short}`
}
