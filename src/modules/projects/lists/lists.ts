import {
  type Actor,
  badRequest,
  maximumTotal,
  type OffsetRequest,
  type Page,
  type PageRequest,
} from '../../../api/index.ts'
import { findsSome, findsText, type Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ReachUse } from '../../access/index.ts'
import { callerRoles, today } from '../core/access.ts'
import { type PresentedProject, presentProjects } from '../present/present.ts'
import type { ListParams } from './params.ts'
import { type Condition, conditionsOf, inReachedNamespaces, orderOf } from './store/conditions.ts'
import { type Cut, countProjects, type FoundProjects, isBehind, projectsInCut } from './store/pages.ts'
import { relatedFilters } from './store/related.ts'
import { ownedByGroup, type Part, type Scope, sharedWith } from './store/scopes.ts'

/** The condition that continues after the last row of the previous page, for keyset pages. */
function behind(page: PageRequest, filter: ListParams): Condition[] {
  if (page.kind !== 'keyset' || !page.after || filter.id_after !== undefined || filter.id_before !== undefined)
    return []
  const [id] = page.after
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw badRequest('invalid cursor')
  return [isBehind(id, page.sort)]
}

/** The order and the bounds of a page. */
function cutOf(page: PageRequest, params: ListParams, actor: Actor, isFew: boolean): Cut {
  if (page.kind === 'keyset') return { order: null, direction: page.sort, limit: page.limit, offset: 0, isFew }
  const order = orderOf(params.order_by ?? 'created_at', params.search, actor)
  return { order, direction: params.sort ?? 'desc', limit: page.limit, offset: page.offset, isFew }
}

function nextOf(page: PageRequest, { rows, hasNext }: FoundProjects): Record<string, string> | undefined {
  const last = rows.at(-1)
  if (page.kind !== 'keyset' || !hasNext || !last) return undefined
  return { [page.sort === 'asc' ? 'id_after' : 'id_before']: String(last.id) }
}

/** @throws ApiError 400 */
function checkOrder({ updated_after: after, updated_before: before, order_by: order }: ListParams): void {
  if ((after ?? before) !== undefined && order !== 'updated_at') {
    throw badRequest('`updated_at` filter and `updated_at` sorting must be paired')
  }
}

/**
 * Counts up to `most`. Of a filter that many projects match, those that its index finds first are counted first, since the others
 * may be far apart.
 * @param some restricts the list to them
 */
async function countUpTo(
  db: Reader,
  most: number,
  parts: readonly (readonly Condition[])[],
  some: Condition | null,
): Promise<number> {
  const first = some
    ? await countProjects(
        db,
        parts.map((conditions) => [some, ...conditions]),
        most,
      )
    : 0
  return first >= most ? first : countProjects(db, parts, most)
}

/**
 * A page of the projects that the caller can see (contract 21, x.projects_list and the lists like it).
 * @param scope restricts the list
 * @throws ApiError 400 when a filter and the order do not match
 */
export async function listProjects(
  platform: Platform,
  actor: Actor,
  params: ListParams,
  page: PageRequest,
  scope?: Scope,
): Promise<Page<PresentedProject>> {
  checkOrder(params)
  const db = platform.database.read
  const roles = await callerRoles(db, actor, today(platform))
  const search = params.search?.trim()
  const searched = search ? await findsText(db, 'projects', search) : null
  const related = await relatedFilters(db, params)
  const isFound = scope !== undefined || searched !== null || related.isFound
  const conditionsIn = (part: Part | null, use: ReachUse) => [
    ...(part ? [part.condition] : []),
    ...(searched ? [searched] : []),
    ...related.conditions,
    ...conditionsOf(db, params, { actor, roles, isReached: part?.isReached === true }, use),
    ...behind(page, params),
  ]
  const parts = (use: ReachUse) => (scope ?? [null]).map((part) => conditionsIn(part, use))
  const bySearch = search ? findsSome(db, 'projects', search) : related.some
  const some = isFound ? null : (bySearch ?? inReachedNamespaces(db, params, { actor, roles }))
  const count = await countUpTo(db, maximumTotal + 1, parts(isFound ? 'counts' : 'finds'), some)
  // Few rows are found first and sorted then. Many rows are read in the order of the list until the page is full.
  const isMany = count > maximumTotal
  // PostgreSQL tests all of few rows before it sorts them.
  const isRead = isMany || db.engine === 'sqlite'
  const isOrdered = scope ? isRead && scope.every((part) => part.isOrdered) : isMany && !isFound
  const use = isOrdered ? 'filters' : isFound ? 'counts' : 'finds'
  const found = await projectsInCut(db, parts(use), cutOf(page, params, actor, !isMany))
  const items = await presentProjects(platform, found.rows, actor, {
    simple: params.simple,
    permissions: true,
    statistics: params.statistics,
    customAttributes: params.with_custom_attributes,
    roles,
  })
  const total = isMany || page.kind === 'keyset' ? undefined : count
  return { items, total, hasNext: found.hasNext, next: nextOf(page, found) }
}

/** The number of projects of each kind that the object of a group contains (contract 21, Group). */
const firstHundred: OffsetRequest = { kind: 'offset', page: 1, perPage: 100, offset: 0, limit: 100 }

/** The projects in the object of a group: its own, and those that are shared with it. */
export async function projectsInGroupObject(platform: Platform, group: { id: number; level: number }, actor: Actor) {
  const own = await listProjects(platform, actor, {}, firstHundred, ownedByGroup(group))
  const scope = sharedWith(platform.database.read, today(platform), group.id)
  const shared = await listProjects(platform, actor, {}, firstHundred, scope)
  return { projects: own.items, shared_projects: shared.items }
}
