import {
  type Actor,
  badRequest,
  maximumTotal,
  type OffsetRequest,
  type Page,
  type PageRequest,
} from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { callerRoles, today } from '../core/access.ts'
import { type PresentedProject, presentProjects } from '../present/present.ts'
import type { ListParams } from './params.ts'
import { countInPlan, pageInPlan, planOf } from './planning.ts'
import { orderOf } from './store/orders.ts'
import type { Cut, FoundProjects } from './store/pages.ts'
import { ownedByGroup, type Scope, sharedWith } from './store/scopes.ts'
import type { Selection } from './store/selections.ts'

/** The order and the bounds of a page. */
function cutOf(page: PageRequest, params: ListParams, actor: Actor): Omit<Cut, 'isFew'> {
  if (page.kind === 'keyset') {
    return { order: orderOf('id', undefined, actor), direction: page.sort, limit: page.limit, offset: 0 }
  }
  const order = orderOf(params.order_by ?? 'created_at', params.search, actor)
  return { order, direction: params.sort ?? 'desc', limit: page.limit, offset: page.offset }
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
 * A page of the projects that the caller can see (contract 21, x.projects_list and the lists like it).
 * @param scope restricts the list
 * @throws ApiError 400 when a filter and the order do not match
 */
export async function listProjects(
  platform: Platform,
  actor: Actor,
  params: ListParams,
  page: PageRequest,
  scope?: Scope | Selection,
): Promise<Page<PresentedProject>> {
  checkOrder(params)
  const db = platform.database.read
  const caller = { actor, roles: await callerRoles(db, actor, today(platform)) }
  const plan = await planOf(db, { caller, params, page, scope })
  const count = await countInPlan(db, plan)
  const found = await pageInPlan(db, plan, count, cutOf(page, params, actor))
  const items = await presentProjects(platform, found.rows, actor, {
    simple: params.simple,
    permissions: true,
    statistics: params.statistics,
    customAttributes: params.with_custom_attributes,
    roles: caller.roles,
  })
  const total = count > maximumTotal || page.kind === 'keyset' ? undefined : count
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
