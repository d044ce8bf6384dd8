import { type Actor, dayOf, failure, isAdministrator } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { canSeeGroup, type Group, mayCreateSubgroup, mayCreateTopLevel, withLevel } from '../../groups/index.ts'
import {
  isPathTaken,
  isReservedPath,
  type NamespaceRow,
  namespaceByPath,
  namespacePathProblems,
  refusesWritesIn,
  strictPathProblems,
} from '../../namespaces/index.ts'
import { mayCreateIn } from '../../projects/index.ts'
import type { EntityType } from '../tables.ts'

/** Where something is imported to. */
export type Destination = { type: EntityType; namespace: string; slug: string }

export const fullPathOf = ({ namespace, slug }: Pick<Destination, 'namespace' | 'slug'>) =>
  namespace === '' ? slug : `${namespace}/${slug}`

const refusedDestination = (named: string) =>
  failure(422, `Import failed. Destination '${named}' is invalid, or you don't have permission.`)

const longestSlug = 255

function isUsable({ namespace, slug }: Destination): boolean {
  if (slug.length > longestSlug || isReservedPath(slug, { topLevel: namespace === '' })) return false
  return namespacePathProblems(slug).length + strictPathProblems(slug).length === 0
}

/** Whether the actor may import into a namespace: groups need the right to create subgroups, projects that of a maintainer. */
async function mayImportInto(db: Reader, actor: Actor, type: EntityType, namespace: Group, today: string) {
  if (!canSeeGroup(actor, namespace) || refusesWritesIn(namespace)) return false
  if (type === 'group') return namespace.kind === 'group' && mayCreateSubgroup(actor, namespace)
  const isEnough = namespace.kind === 'user' || isAdministrator(actor) || namespace.level >= role.maintainer
  return isEnough && mayCreateIn(db, actor, namespace, today)
}

/**
 * The namespace that receives an import; null at the top level.
 * @throws ApiError 422 when there is none, or the actor may not import into it
 */
export async function destinationFor(
  { clock }: Platform,
  db: Reader,
  actor: Actor,
  wanted: Destination,
): Promise<NamespaceRow | null> {
  const { type, namespace } = wanted
  if (!isUsable(wanted)) throw refusedDestination(fullPathOf(wanted))
  if (namespace === '') {
    if (type === 'group' && (await mayCreateTopLevel(db, actor))) return null
    throw refusedDestination(namespace)
  }
  const today = dayOf(clock.now())
  const found = await namespaceByPath(db, namespace)
  const row = found && !found.pending_delete ? await withLevel(db, found, actor, today) : null
  if (!row || !(await mayImportInto(db, actor, type, row, today))) throw refusedDestination(namespace)
  return row
}

/**
 * @param reserved lower-case paths that are taken as well
 * @throws ApiError 422 when the path of a destination is taken
 */
export async function requireFree(db: Reader, wanted: Destination, reserved: ReadonlySet<string>): Promise<void> {
  const path = fullPathOf(wanted)
  if (!reserved.has(path.toLowerCase()) && !(await isPathTaken(db, path))) return
  throw failure(422, `Import failed. '${path}' already exists. Change the destination and try again.`)
}
