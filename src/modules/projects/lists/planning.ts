import { badRequest, maximumTotal, type PageRequest } from '../../../api/index.ts'
import type { PredicateUse, Reader } from '../../../infra/database/index.ts'
import type { ListParams } from './params.ts'
import { type Caller, type Condition, conditionsOf, inReachedNamespaces } from './store/conditions.ts'
import type { ListOrder } from './store/orders.ts'
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
  projectsSorted,
} from './store/pages.ts'
import { selectionsOf, starredByCaller } from './store/related.ts'
import type { Scope } from './store/scopes.ts'
import { type Chosen, chooseSelection, oneByOne, type Selection } from './store/selections.ts'

// How a list finds its projects: what finds them and what checks them, and how they are counted and read.

/**
 * How the projects of a list are read: found by its scope or a selection, or all in the order of the list, where the scope is only
 * checked; or some of them; or found by a selection that has many.
 */
type Way = 'found' | 'walked' | 'some' | 'many'

/** The projects of a list, as parts whose conditions are used in one way. */
type PartsFor = (use: PredicateUse, way?: Way) => Part[]

type Restriction = { places: Scope | null; chosen: Chosen }

/** How the projects of a list are found. */
export type ListPlan = Restriction & {
  partsFor: PartsFor
  /** Some of the projects of a list that has many; null where what finds all is of more use. */
  some: Part[] | null
  /** Whether a text or a selection that has many restricts all projects: those that meet it may be far apart in any order. */
  isScattered: boolean
}

/** What a list asks for. @property scope restricts the list */
export type Wanted = { caller: Caller; params: ListParams; page: PageRequest; scope: Scope | Selection | undefined }

/** The condition that continues after the last row of the previous page, for keyset pages. */
function behind(page: PageRequest, filter: ListParams): Condition[] {
  if (page.kind !== 'keyset' || !page.after || filter.id_after !== undefined || filter.id_before !== undefined)
    return []
  const [id] = page.after
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw badRequest('invalid cursor')
  return [isBehind(id, page.sort)]
}

/** How the conditions on the caller's roles are used to count the projects of a list. */
function countingUseOf({ places, chosen }: Restriction): PredicateUse {
  if (chosen.areLookedUp) return 'tests'
  return places !== null || chosen.finder !== null ? 'counts' : 'drives'
}

/** How they are used for a page of it, and whether all its projects are found before they are sorted. */
function readingOf(
  db: Reader,
  count: number,
  restriction: Restriction,
  { column }: ListOrder,
): { use: PredicateUse; isFew: boolean } {
  const { places, chosen } = restriction
  const counting = countingUseOf(restriction)
  const isFew = count <= maximumTotal
  if (counting === 'drives') return { use: isFew ? counting : 'tests', isFew }
  if (chosen.finder || !places?.every((part) => part.isOrdered)) {
    return { use: count <= oneByOne && places ? 'tests' : counting, isFew }
  }
  // PostgreSQL tests all of few rows before it sorts them.
  const isInOrder = column === 'created_at' && (count > oneByOne || db.engine === 'sqlite')
  return { use: isInOrder || count <= oneByOne ? 'tests' : counting, isFew: isFew && !isInOrder }
}

/** What finds the projects of a list, and what checks them. */
function selectionsFor({ finder, tested, some }: Chosen, way: Way): Pick<Chosen, 'finder' | 'tested'> {
  if (way === 'walked') return { finder: null, tested: finder ? [finder, ...tested] : tested }
  if (way === 'found' || !some) return { finder, tested }
  return {
    finder: way === 'many' ? some.all : some.first,
    tested: tested.filter((selection) => selection !== some.all),
  }
}

/** The filters that are not true of all that a selection finds. */
function without(params: ListParams, finder: Selection | null): ListParams {
  const held: readonly string[] = finder?.filters ?? []
  return held.length === 0
    ? params
    : Object.fromEntries(Object.entries(params).filter(([name]) => !held.includes(name)))
}

/** The parts of a list, by their use. */
function partsOf(db: Reader, { caller, params, page }: Wanted, { places, chosen }: Restriction): PartsFor {
  return (use, way = 'found') => {
    const { finder, tested } = selectionsFor(chosen, way)
    const tests = tested.flatMap(({ test }) => (test ? [test(db, use)] : []))
    return (places ?? [null]).map((part) => {
      const inPlace = way === 'walked' ? part?.test : part?.condition
      const isReached = part?.isReached === true
      const isFound = finder !== null || (inPlace !== undefined && way !== 'walked')
      const lister = { ...caller, isReached, isFound }
      const { byId, conditions, idsOnly } = conditionsOf(db, without(params, finder), lister, use)
      return {
        finder,
        byId: [...byId, ...behind(page, params), ...tests, ...(finder?.check ? [finder.check] : [])],
        conditions: [...(inPlace ? [inPlace] : []), ...conditions],
        idsOnly: inPlace ? null : idsOnly,
      }
    })
  }
}

function someOf(db: Reader, { caller, params }: Wanted, restriction: Restriction, partsFor: PartsFor) {
  if (countingUseOf(restriction) !== 'drives') return null
  if (restriction.chosen.some) return partsFor('drives', 'some')
  const reached = inReachedNamespaces(db, params, caller)
  return (
    reached && partsFor('counts').map((part) => ({ ...part, conditions: [reached, ...part.conditions], idsOnly: null }))
  )
}

/** Decides how the projects of a list are found. */
export async function planOf(db: Reader, wanted: Wanted): Promise<ListPlan> {
  const { params, scope } = wanted
  const { actor } = wanted.caller
  const places = scope && !('ids' in scope) ? scope : null
  const starred = starredByCaller(params, actor)
  const main = scope && 'ids' in scope ? scope : places ? null : starred
  const inPlaces =
    places &&
    idsOfParts(
      db,
      places.map(({ condition }) => ({ finder: null, byId: [], conditions: [condition], idsOnly: null })),
    )
  const { related, ...others } = selectionsOf(db, params, actor)
  const selections = { ...others, related: starred && starred !== main ? [...related, starred] : related }
  const restriction = { places, chosen: await chooseSelection(db, selections, { places: inPlaces, main }) }
  const partsFor = partsOf(db, wanted, restriction)
  const { finder, some } = restriction.chosen
  const isScattered = !places && !finder && (some !== null || Boolean(params.search?.trim()))
  return { ...restriction, partsFor, some: someOf(db, wanted, restriction, partsFor), isScattered }
}

/**
 * Counts the projects of a list, up to one more than a list says as its total. Some of many are counted first, since the others may
 * be far apart.
 */
export async function countInPlan(db: Reader, { some, ...plan }: ListPlan): Promise<number> {
  const most = maximumTotal + 1
  const first = some ? await countProjects(db, some, most) : 0
  return first >= most ? first : countProjects(db, plan.partsFor(countingUseOf(plan)), most)
}

/** More projects than this are looked for among the first of their order before they are sorted. */
const manyToSort = 2_000

/** A page of many projects that may be far apart: near the beginning of all in the order of the list, or of those that are found and sorted. */
async function pageOfScattered(db: Reader, partsFor: PartsFor, cut: Cut): Promise<FoundProjects | null> {
  const [walked] = partsFor('tests')
  const [found] = partsFor('counts', 'many')
  const page = walked ? await projectsAmongFirst(db, walked, cut, null) : null
  return page ?? (found ? projectsSorted(db, found, cut) : null)
}

/**
 * A page of a list: read in its order where an index has its rows in it, or where it is near the beginning of all projects.
 * @param count the number of its projects, by `countInPlan`
 */
export async function pageInPlan(
  db: Reader,
  plan: ListPlan,
  count: number,
  bounds: Omit<Cut, 'isFew'>,
): Promise<FoundProjects> {
  if (count === 0) return { rows: [], hasNext: false }
  const { places, chosen, partsFor, isScattered } = plan
  // Few rows are found first and sorted then. Many rows are read in the order of the list until the page is full.
  const { use, isFew } = readingOf(db, count, plan, bounds.order)
  const cut = { ...bounds, isFew }
  const parts = partsFor('tests')
  if (parts.every((part) => isReadInOrder(part, cut))) return projectsInCut(db, parts, cut)
  const scattered = isScattered && !isFew ? await pageOfScattered(db, partsFor, cut) : null
  if (scattered) return scattered
  // Only a scope that has a test can be checked.
  const mayWalk = places
    ? places.every((part) => part.test) && bounds.order.column !== 'created_at'
    : chosen.finder !== null
  const [walked, ...others] = mayWalk && count > manyToSort ? partsFor('tests', 'walked') : []
  const found = walked && others.length === 0 ? await projectsAmongFirst(db, walked, cut, isFew ? count : null) : null
  return found ?? projectsInCut(db, partsFor(use), cut)
}
