import { type Actor, dayOf, isAdministrator, notFound, type PageRequest, requireSignedIn } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { hasProjectBelow, inheritedLevels, noRoles, type OwnRoles, ownRoles, role } from '../access/index.ts'
import type { NamespaceFilter } from './params.ts'
import { type PresentedNamespace, presentNamespace } from './present.ts'
import { avatarsOfUsers, pageOfMatching } from './store/listing.ts'
import { namespaceById, namespaceByPath } from './store/namespaces.ts'
import { isPathTaken, takenPaths } from './store/routes.ts'
import type { NamespaceRow } from './tables.ts'
import { totalsOf } from './totals/store/totals.ts'
import { isOpenTo } from './visibility.ts'

type Levels = ReadonlyMap<number, number>

/** How many suggestions are looked up at once. */
const suggestionsAtOnce = 100

async function rolesOf({ database, clock }: Platform, actor: Actor): Promise<OwnRoles> {
  return actor.kind === 'user' ? ownRoles(database.read, actor.userId, dayOf(clock.now())) : noRoles
}

async function present(
  { database, externalUrl }: Platform,
  actor: Actor,
  rows: readonly NamespaceRow[],
  levels: Levels,
): Promise<PresentedNamespace[]> {
  const administrator = isAdministrator(actor)
  const managed = rows.filter(({ id }) => administrator || (levels.get(id) ?? 0) >= role.owner).map(({ id }) => id)
  const totals = await totalsOf(database.read, managed)
  const ownerIds = rows.flatMap(({ owner_id }) => owner_id ?? [])
  const avatars = await avatarsOfUsers(database.read, ownerIds)
  return rows.map((row) => {
    const ownerAvatar = avatars.get(row.owner_id ?? 0) ?? null
    return presentNamespace(row, { externalUrl, administrator, totals: totals.get(row.id)?.below, ownerAvatar })
  })
}

/** The caller's levels in a namespace; null when the caller may not see it. */
async function levelIfVisible(platform: Platform, actor: Actor, row: NamespaceRow): Promise<Levels | null> {
  const db = platform.database.read
  const roles = await rolesOf(platform, actor)
  const levels = await inheritedLevels(db, roles, [row.id])
  if (isAdministrator(actor) || (levels.get(row.id) ?? 0) > 0) return levels
  if (row.kind === 'user' || actor.kind !== 'user') return null
  return isOpenTo(actor, row) || (await hasProjectBelow(db, roles, row.id)) ? levels : null
}

/** Lists the caller's namespaces, the personal one first, then by id; administrators see all (x.namespaces_list). */
export async function listNamespaces(platform: Platform, actor: Actor, filter: NamespaceFilter, page: PageRequest) {
  const db = platform.database.read
  const roles = await rolesOf(platform, actor)
  const least = filter.owned_only ? role.owner : 1
  const { userId } = requireSignedIn(actor)
  const reached = filter.owned_only || !isAdministrator(actor) ? { userId, roles, least } : null
  const { items: rows, ...found } = await pageOfMatching(db, filter, reached, page)
  const ids = rows.map(({ id }) => id)
  const levels = await inheritedLevels(db, roles, ids)
  return { ...found, items: await present(platform, actor, rows, levels) }
}

/**
 * Gets a namespace (x.namespaces_get).
 * @param text id, or full path
 * @throws ApiError 404 Namespace
 */
export async function getNamespace(platform: Platform, actor: Actor, text: string): Promise<PresentedNamespace> {
  const db = platform.database.read
  const row = /^\d+$/.test(text) ? await namespaceById(db, Number(text)) : await namespaceByPath(db, text)
  const levels = row && !row.pending_delete ? await levelIfVisible(platform, actor, row) : null
  if (!row || !levels) throw notFound('Namespace')
  return (await present(platform, actor, [row], levels))[0] as PresentedNamespace
}

/**
 * Whether a path is taken, with a free path like it when it is (x.namespaces_exists). Every path counts as free below a
 * namespace that the caller may not see.
 */
export async function namespaceExists(platform: Platform, actor: Actor, path: string, parentId: number | undefined) {
  const db = platform.database.read
  const parent = parentId === undefined ? null : await namespaceById(db, parentId)
  if (parentId !== undefined && !(parent && (await levelIfVisible(platform, actor, parent)))) {
    return { exists: false, suggests: [] }
  }
  const fullPath = parent ? `${parent.full_path}/${path}` : path
  if (!(await isPathTaken(db, fullPath))) return { exists: false, suggests: [] }
  const suggestion = await freeNumber(db, fullPath)
  return { exists: true, suggests: [`${path}${suggestion}`] }
}

/** The smallest number that makes a taken path free when it is appended. */
async function freeNumber(db: Reader, fullPath: string): Promise<number> {
  for (let from = 1; ; from += suggestionsAtOnce) {
    const numbers = Array.from({ length: suggestionsAtOnce }, (_, index) => from + index)
    const pathOf = (number: number) => `${fullPath}${number}`.toLowerCase()
    const taken = await takenPaths(db, numbers.map(pathOf))
    const free = numbers.find((number) => !taken.has(pathOf(number)))
    if (free !== undefined) return free
  }
}
