import { type Actor, badRequest, maximumTotal, type Page, type PageRequest } from '../../../api/index.ts'
import type { Database } from '../../../infra/database/index.ts'
import type { CallerRoles } from '../present/facts.ts'
import type { PresentedProject, ProjectPresenter } from '../present/present.ts'
import {
  type AccessUse,
  type Condition,
  conditionsOf,
  orderOf,
  type ProjectFilter,
  type ProjectOrder,
} from './store/conditions.ts'
import { type Cut, countProjects, type FoundProjects, isBehind, projectsInCut } from './store/pages.ts'

export type ListParams = ProjectFilter & {
  order_by?: ProjectOrder
  sort?: 'asc' | 'desc'
  simple?: boolean
  statistics?: boolean
  with_custom_attributes?: boolean
}

export type ProjectListsNeeds = { database: Database; presenter: ProjectPresenter }

/** Lists of projects: all of them, or those of some place. */
export type ProjectLists = ReturnType<typeof createProjectLists>

/** The condition that goes on behind the last row of the page before, for a walk by id. */
function behind(page: PageRequest, filter: ProjectFilter): Condition[] {
  if (page.kind !== 'keyset' || !page.after || filter.id_after !== undefined || filter.id_before !== undefined)
    return []
  const [id] = page.after
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw badRequest('invalid cursor')
  return [isBehind(id, page.sort)]
}

/** How a page is put in order and cut out. */
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

const nobodysRoles: CallerRoles = { namespaces: new Map(), projects: new Map() }

export function createProjectLists({ database, presenter }: ProjectListsNeeds) {
  const db = database.read

  return {
    /**
     * A page of the projects that the caller sees (contract 21, x.projects_list and its like).
     * @param scope narrows the list to some place, as a condition on `projects`
     * @throws ApiError 400 when a filter and the order do not go together
     */
    async list(
      actor: Actor,
      params: ListParams,
      page: PageRequest,
      scope?: Condition,
    ): Promise<Page<PresentedProject>> {
      const isByUpdate = (params.updated_after ?? params.updated_before) !== undefined
      if (isByUpdate && (params.order_by ?? 'created_at') !== 'updated_at') {
        throw badRequest('`updated_at` filter and `updated_at` sorting must be paired')
      }
      const roles = actor.kind === 'user' ? await presenter.callerRoles(actor) : nobodysRoles
      const conditions = (use: AccessUse) => [
        ...(scope ? [scope] : []),
        ...conditionsOf(db, params, { actor, roles }, use),
        ...behind(page, params),
      ]
      const count = await countProjects(db, conditions(scope ? 'filters' : 'finds'), maximumTotal + 1)
      // A few rows are found and put in order; of many enough are met soon when one walks in that order.
      const isMany = count > maximumTotal
      const use = scope || isMany ? 'filters' : 'finds'
      const found = await projectsInCut(db, conditions(use), cutOf(page, params, actor, !isMany))
      const total = isMany || page.kind === 'keyset' ? undefined : count
      const items = await presenter.presentProjects(found.rows, actor, {
        simple: params.simple,
        permissions: true,
        statistics: params.statistics,
        customAttributes: params.with_custom_attributes,
        roles,
      })
      return { items, total, hasNext: found.hasNext, next: nextOf(page, found) }
    },
  }
}
