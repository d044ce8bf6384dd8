import { sql } from 'kysely'
import { type Actor, badRequest, maximumTotal, type Page, type PageRequest } from '../../api/index.ts'
import type { Database, Reader } from '../../infra/database/index.ts'
import type { CallerRoles } from './facts.ts'
import type { PresentedProject, ProjectPresenter } from './present.ts'
import {
  type AccessUse,
  type Condition,
  conditionsOf,
  orderOf,
  type ProjectFilter,
  type ProjectOrder,
} from './store/listing.ts'
import type { ProjectRow } from './tables.ts'

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

type Chosen = { rows: ProjectRow[]; hasNext: boolean }

const everything: Condition = sql<boolean>`(1 = 1)`

function chosen(db: Reader, conditions: readonly Condition[]) {
  return db.selectFrom('projects').where(sql<boolean>`${sql.join([everything, ...conditions], sql` and `)}`)
}

/** The condition that goes on behind the last row of the page before, for a walk by id. */
function behind(page: PageRequest, filter: ProjectFilter): Condition[] {
  if (page.kind !== 'keyset' || !page.after || filter.id_after !== undefined || filter.id_before !== undefined)
    return []
  const [id] = page.after
  if (!Number.isSafeInteger(id)) throw badRequest('invalid cursor')
  return [page.sort === 'asc' ? sql<boolean>`projects.id > ${id}` : sql<boolean>`projects.id < ${id}`]
}

/** The number of rows that meet the conditions, counted no further than just above `maximumTotal`. */
async function countUpTo(db: Reader, conditions: readonly Condition[]): Promise<number> {
  const counted = chosen(db, conditions)
    .select('projects.id')
    .limit(maximumTotal + 1)
  const { count } = await db
    .selectFrom(counted.as('counted'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/**
 * The rows of one page.
 * @param isFew whether to find all rows first and to put them in order then, instead of walking in that order
 */
async function rowsOf(
  db: Reader,
  conditions: readonly Condition[],
  params: ListParams,
  page: PageRequest,
  { actor, isFew }: { actor: Actor; isFew: boolean },
): Promise<Chosen> {
  const isKeyset = page.kind === 'keyset'
  const direction = isKeyset ? page.sort : (params.sort ?? 'desc')
  const order = isKeyset ? null : orderOf(params.order_by ?? 'created_at', params.search, actor)
  const all = chosen(db, conditions).selectAll('projects')
  // PostgreSQL does not look behind an offset: else it may walk in the order of the list and meet nothing for long.
  const query =
    isFew && db.engine === 'postgres' ? db.selectFrom(all.offset(0).as('projects')).selectAll('projects') : all
  const rows = await (order ? query.orderBy(order, direction) : query)
    .orderBy('projects.id', direction)
    .limit(page.limit + 1)
    .offset(isKeyset ? 0 : page.offset)
    .execute()
  return { rows: rows.slice(0, page.limit), hasNext: rows.length > page.limit }
}

function nextOf(page: PageRequest, { rows, hasNext }: Chosen): Record<string, string> | undefined {
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
      const count = await countUpTo(db, conditions(scope ? 'filters' : 'finds'))
      // A few rows are found and put in order; of many enough are met soon when one walks in that order.
      const isMany = count > maximumTotal
      const use = scope || isMany ? 'filters' : 'finds'
      const found = await rowsOf(db, conditions(use), params, page, { actor, isFew: !isMany })
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
