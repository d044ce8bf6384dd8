import {
  type Actor,
  badRequest,
  maximumTotal,
  type OffsetRequest,
  type Page,
  type PageRequest,
} from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ReachUse } from '../../access/index.ts'
import { callerRoles, today } from '../core/access.ts'
import { type PresentedProject, presentProjects } from '../present/present.ts'
import type { ListParams } from './params.ts'
import {
  type Caller,
  type Condition,
  conditionsOf,
  inReachedNamespaces,
  type ListOrder,
  orderOf,
} from './store/conditions.ts'
import {
  type Cut,
  countProjects,
  type FoundProjects,
  idsOfParts,
  isBehind,
  isReadInOrder,
  type Part,
  projectsAmongFirst,
  projectsInCut,
} from './store/pages.ts'
import { selectionsOf, starredByCaller } from './store/related.ts'
import { ownedByGroup, type Scope, sharedWith } from './store/scopes.ts'
import { type Chosen, chooseSelection, oneByOne, type Selection } from './store/selections.ts'

/** The condition that continues after the last row of the previous page, for keyset pages. */
function behind(page: PageRequest, filter: ListParams): Condition[] {
  if (page.kind !== 'keyset' || !page.after || filter.id_after !== undefined || filter.id_before !== undefined)
    return []
  const [id] = page.after
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw badRequest('invalid cursor')
  return [isBehind(id, page.sort)]
}

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
 * How the projects of a list are read: found by its scope or a selection, or all in the order of the list, where the scope is only
 * checked; or some of them.
 */
type Way = 'found' | 'walked' | 'some'

/** The projects of a list, as parts whose conditions are used in one way. */
type PartsFor = (use: ReachUse, way?: Way) => Part[]

/** Counts up to `most`. @param some parts with some of the projects, which are counted first, since the others may be far apart */
async function countUpTo(
  db: Reader,
  most: number,
  parts: readonly Part[],
  some: readonly Part[] | null,
): Promise<number> {
  const first = some ? await countProjects(db, some, most) : 0
  return first >= most ? first : countProjects(db, parts, most)
}

/** More projects than this are looked for among the first of their order before they are sorted. */
const manyToSort = 2_000

type PageOptions = { count: number; use: ReachUse; cut: Cut; mayWalk: boolean }

/**
 * A page of a list: read in its order where an index has its rows in it, or where it is near the beginning of all projects.
 * @param mayWalk whether the scope of the list can be checked
 */
async function pageOf(
  db: Reader,
  partsFor: PartsFor,
  { count, use, cut, mayWalk }: PageOptions,
): Promise<FoundProjects> {
  if (count === 0) return { rows: [], hasNext: false }
  const parts = partsFor('filters')
  if (parts.every((part) => isReadInOrder(part, cut))) return projectsInCut(db, parts, cut)
  const [walked, ...others] = mayWalk && count > manyToSort ? partsFor('filters', 'walked') : []
  const found = walked && others.length === 0 ? await projectsAmongFirst(db, walked, cut) : null
  return found ?? projectsInCut(db, partsFor(use), cut)
}

type Restriction = { places: Scope | null; chosen: Chosen }

/** How the conditions on the caller's roles are used to count the projects of a list. */
function countingUseOf({ places, chosen }: Restriction): ReachUse {
  if (chosen.areLookedUp) return 'filters'
  return places !== null || chosen.finder !== null ? 'counts' : 'finds'
}

/** How they are used for a page of it, and whether all its projects are found before they are sorted. */
function readingOf(
  db: Reader,
  count: number,
  restriction: Restriction,
  { column }: ListOrder,
): { use: ReachUse; isFew: boolean } {
  const { places, chosen } = restriction
  const counting = countingUseOf(restriction)
  const isFew = count <= maximumTotal
  if (counting === 'finds') return { use: isFew ? counting : 'filters', isFew }
  if (chosen.finder || !places?.every((part) => part.isOrdered)) return { use: counting, isFew }
  // PostgreSQL tests all of few rows before it sorts them.
  const isInOrder = column === 'created_at' && (count > oneByOne || db.engine === 'sqlite')
  return { use: isInOrder || count <= oneByOne ? 'filters' : counting, isFew: isFew && !isInOrder }
}

/** What finds the projects of a list, and what checks them. */
function selectionsFor({ finder, tested, some }: Chosen, way: Way): Pick<Chosen, 'finder' | 'tested'> {
  if (way === 'walked') return { finder: null, tested: finder ? [finder, ...tested] : tested }
  if (way === 'found' || !some) return { finder, tested }
  return { finder: some.first, tested: tested.filter((selection) => selection !== some.all) }
}

/** The parts of a list, by their use. */
function partsOf(
  db: Reader,
  caller: Caller,
  params: ListParams,
  page: PageRequest,
  restriction: Restriction,
): PartsFor {
  const { places, chosen } = restriction
  return (use, way = 'found') => {
    const { finder, tested } = selectionsFor(chosen, way)
    const tests = tested.flatMap(({ test }) => (test ? [test(db, use)] : []))
    return (places ?? [null]).map((part) => {
      const inPlace = way === 'walked' ? part?.test : part?.condition
      const ofCaller = conditionsOf(db, params, { ...caller, isReached: part?.isReached === true }, use)
      return { finder, conditions: [...(inPlace ? [inPlace] : []), ...tests, ...ofCaller, ...behind(page, params)] }
    })
  }
}

/** Parts with some of the projects of a list that has many; null where what finds all is of more use. */
function someOf(db: Reader, caller: Caller, params: ListParams, { chosen }: Restriction, partsFor: PartsFor) {
  if (chosen.some) return partsFor('finds', 'some')
  const reached = inReachedNamespaces(db, params, caller)
  return reached && partsFor('counts').map((part) => ({ ...part, conditions: [reached, ...part.conditions] }))
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
  const places = scope && !('ids' in scope) ? scope : null
  const starred = starredByCaller(params, actor)
  const main = scope && 'ids' in scope ? scope : places ? null : starred
  const inPlaces =
    places &&
    idsOfParts(
      db,
      places.map(({ condition }) => ({ finder: null, conditions: [condition] })),
    )
  const { related, own } = selectionsOf(db, params, actor)
  const selections = { related: starred && starred !== main ? [...related, starred] : related, own }
  const chosen = await chooseSelection(db, selections, { places: inPlaces, main })
  const restriction = { places, chosen }
  const partsFor = partsOf(db, caller, params, page, restriction)
  const counting = countingUseOf(restriction)
  const some = counting === 'finds' ? someOf(db, caller, params, restriction, partsFor) : null
  const count = await countUpTo(db, maximumTotal + 1, partsFor(counting), some)
  // Few rows are found first and sorted then. Many rows are read in the order of the list until the page is full.
  const isMany = count > maximumTotal
  const bounds = cutOf(page, params, actor)
  const { use, isFew } = readingOf(db, count, restriction, bounds.order)
  const mayWalk = places
    ? places.every((part) => part.test) && bounds.order.column !== 'created_at'
    : chosen.finder !== null
  const found = await pageOf(db, partsFor, { count, use, cut: { ...bounds, isFew }, mayWalk })
  const items = await presentProjects(platform, found.rows, actor, {
    simple: params.simple,
    permissions: true,
    statistics: params.statistics,
    customAttributes: params.with_custom_attributes,
    roles: caller.roles,
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
