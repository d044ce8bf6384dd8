import {
  type Actor,
  badRequest,
  isAdministrator,
  type OffsetRequest,
  type Page,
  type PageRequest,
} from '../../../api/index.ts'
import { allOf, type ListQuery, predicatesOf, readPage, type Slice, walkById } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { callerRoles, today } from '../core/access.ts'
import { type PresentedProject, presentProjects } from '../present/present.ts'
import type { ProjectRow } from '../tables.ts'
import type { ListParams } from './params.ts'
import { isThere, reachedBy, seenBy } from './store/access.ts'
import { neededRole, type ProjectContext, projectFilters } from './store/filters.ts'
import { isBehind, orderOf } from './store/orders.ts'
import { ownedByGroup, type ProjectScope, sharedWith } from './store/scopes.ts'

/** The order and the bounds of a page. @throws ApiError 400 when its cursor is invalid */
function sliceOf(context: ProjectContext, params: ListParams, page: PageRequest): Slice {
  if (page.kind === 'offset') {
    return { order: orderOf(context, params), limit: page.limit, offset: page.offset, after: null }
  }
  const slice = { order: walkById(context, page.sort), limit: page.limit, offset: 0, after: null }
  if (!page.after || params.id_after !== undefined || params.id_before !== undefined) return slice
  const [id] = page.after
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw badRequest('invalid cursor')
  return { ...slice, after: isBehind(id, page.sort) }
}

function nextOf(page: PageRequest, rows: readonly ProjectRow[], hasNext: boolean): Record<string, string> | undefined {
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

/** The projects of a list that the caller can see, or has the role in that the list asks for. */
function accessOf(context: ProjectContext, params: ListParams, { isReached }: ProjectScope) {
  const least = context.actor.kind === 'user' ? neededRole(params) : null
  if (least !== null) return [reachedBy(context, context.caller, least)]
  return isReached ? [] : seenBy(context, context.caller)
}

/** What a list selects. */
function queryOf(context: ProjectContext, params: ListParams, scope: ProjectScope): ListQuery {
  const mayBeLeaving = params.include_pending_delete && isAdministrator(context.actor)
  const there = mayBeLeaving ? [] : [isThere]
  const predicates = [
    ...(scope.predicates?.(context) ?? []),
    ...accessOf(context, params, scope),
    ...predicatesOf(projectFilters, context, params),
  ]
  if (scope.parent) return { scope: allOf([scope.parent, ...there]), predicates, lookUps: [] }
  return { scope: null, predicates: [...there.map((holds) => ({ holds })), ...predicates], lookUps: [] }
}

/**
 * A page of the projects that the caller can see (contract 21, x.projects_list and the lists like it).
 * @throws ApiError 400 when a filter and the order do not match
 */
export async function listProjects(
  platform: Platform,
  actor: Actor,
  params: ListParams,
  page: PageRequest,
  scope: ProjectScope = {},
): Promise<Page<PresentedProject>> {
  checkOrder(params)
  const db = platform.database.read
  const roles = await callerRoles(db, actor, today(platform))
  const context: ProjectContext = { db, table: 'projects', actor, caller: { actor, roles } }
  const query = queryOf(context, params, scope)
  const { rows, hasNext, total } = await readPage<ProjectRow>(context, query, sliceOf(context, params, page))
  const items = await presentProjects(platform, rows, actor, {
    simple: params.simple,
    permissions: true,
    statistics: params.statistics,
    customAttributes: params.with_custom_attributes,
    roles,
  })
  return { items, total: page.kind === 'keyset' ? undefined : total, hasNext, next: nextOf(page, rows, hasNext) }
}

/** The number of projects of each kind that the object of a group contains (contract 21, Group). */
const firstHundred: OffsetRequest = { kind: 'offset', page: 1, perPage: 100, offset: 0, limit: 100 }

/** The projects in the object of a group: its own, and those that are shared with it. */
export async function projectsInGroupObject(platform: Platform, group: { id: number; level: number }, actor: Actor) {
  const own = await listProjects(platform, actor, {}, firstHundred, ownedByGroup(group))
  const shared = await listProjects(platform, actor, {}, firstHundred, sharedWith(today(platform), group.id))
  return { projects: own.items, shared_projects: shared.items }
}
