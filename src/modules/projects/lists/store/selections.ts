import { type RawBuilder, sql } from 'kysely'
import { isFound, type PredicateUse, type Reader } from '../../../../infra/database/index.ts'
import type { ListParams } from '../params.ts'
import type { Condition } from './conditions.ts'

/** Projects that rows of another table name. */
export type Selection = {
  /** Selects the ids of the projects, each once, as `project_id`; of a selection with a check also of others. */
  ids: RawBuilder<unknown>
  /** What else has to be true of the projects that the ids name; last, since it costs more than other tests. */
  check?: Condition | undefined
  /** Whether a project is one of them. Null where the other conditions of a list say so. */
  test: ((db: Reader, use: PredicateUse) => Condition) | null
  /**
   * The rows of the ids, the text after `from`, when an index has them by `found.project_created_at` and `found.project_id`, and another one by
   * `found.project_id`.
   */
  inOrder: RawBuilder<unknown> | null
  /** Filters of a list that are true of all of them, and need not be tested of what they find. */
  filters?: readonly (keyof ListParams)[]
}

/**
 * The projects of rows that have the column `project_id`.
 * @param rows the text after `from`, with `found` as the name of the table, and a condition
 * @param options.check a condition on `projects.id` without which a row does not count
 */
export function selectionOf(
  rows: RawBuilder<unknown>,
  {
    isRepeated = false,
    isOrdered = false,
    check,
  }: { isRepeated?: boolean; isOrdered?: boolean; check?: Condition } = {},
): Selection {
  const named = sql`${rows} and found.project_id = projects.id`
  return {
    // Several rows may name the same project.
    ids: sql`select ${sql.raw(isRepeated ? 'distinct ' : '')}found.project_id from ${rows}`,
    check,
    test(db, use) {
      const isNamed = use === 'drives' ? sql<boolean>`exists (select 1 from ${named})` : isFound(db, named)
      return check ? sql<boolean>`(${isNamed} and ${check})` : isNamed
    },
    inOrder: isOrdered ? rows : null,
  }
}

/** Up to so many projects find the rows of a list; more are checked. */
const few = 10_000

/** Up to so many rows of a selection to which a list is restricted are counted. */
const mostOfMain = 5 * few

/** The selections of the filters of a list. */
export type Selections = {
  related: readonly Selection[]
  /** Those that are of no use alone. */
  own: readonly Selection[]
  /** Those that are of no use without a selection to which the list is restricted. */
  beside: readonly Selection[]
}

/** Roles in so many projects are looked up one by one. */
export const oneByOne = 500

/** And in so many that are found by one restriction and checked by another, which few of them meet. */
const oneByOneOfFew = 5_000

/** How a list uses its selections. */
export type Chosen = {
  /** The one by which its projects are found. */
  finder: Selection | null
  /** Whether what finds them has so few that roles are looked up one by one. */
  areLookedUp: boolean
  /** The others. */
  tested: readonly Selection[]
  /**
   * Some of the projects of a selection that has many, so many that most lists need not count the others. Null where a selection or the
   * scope finds the projects.
   */
  some: { first: Selection; all: Selection } | null
}

const numbered = (query: RawBuilder<unknown>, index: number, most: RawBuilder<unknown>) =>
  sql`select ${sql.lit(index)} as place, count(*) as count from (select 1 from (${query}) one limit ${most}) counted`

/** What restricts a list: the query of its rows, up to how many are counted, and how many of the rows of another one are. */
type Restricting = { query: RawBuilder<unknown>; most: number; ofOthers: RawBuilder<unknown> }

const restrictedBy = (main: Selection | null, places: RawBuilder<unknown> | null): Restricting | null => {
  // Beside a selection a filter finds the rows where it has at most half as many.
  if (main) return { query: main.ids, most: mostOfMain, ofOthers: sql`count / 2 + 1` }
  return places && { query: places, most: few, ofOthers: sql`count + 1` }
}

/**
 * The numbers of rows of these queries, counted with one query: each up to more than a few, and of a list that is restricted up to the
 * number that decides.
 * @returns the number of the restriction first, 0 without one
 */
async function countsOf(
  db: Reader,
  queries: readonly RawBuilder<unknown>[],
  restricting: Restricting | null,
): Promise<number[]> {
  const most = restricting ? sql`(select ${restricting.ofOthers} from main)` : sql.lit(few + 1)
  const main = restricting && numbered(restricting.query, 0, sql.lit(restricting.most + 1))
  const others = queries.map((query, index) => numbered(query, index + 1, most))
  const all = sql.join([...(main ? [sql`select place, count from main`] : []), ...others], sql` union all `)
  const counted = main ? sql`with main as materialized (${main}) ${all}` : all
  const { rows } = await db.executeQuery(sql<{ place: number; count: number }>`${counted}`.compile(db as never))
  const counts = new Map(rows.map(({ place, count }) => [Number(place), Number(count)]))
  return Array.from({ length: queries.length + 1 }, (_, index) => counts.get(index) ?? 0)
}

/**
 * Chooses what finds the projects of a list: the selection with the fewest, or the scope of the list where it has fewer.
 * @param restriction `places`: the ids of the projects of the scope, as `id`; `main`: a selection to which the list is restricted,
 * which finds them when all have many
 */
export async function chooseSelection(
  db: Reader,
  { related, own, beside }: Selections,
  restriction: { places: RawBuilder<unknown> | null; main: Selection | null },
): Promise<Chosen> {
  const { places, main } = restriction
  const isAlone = related.length === 0 && places === null && main === null
  const others = [...(main ? beside : []), ...related, ...(isAlone ? [] : own)]
  if (others.length === 0) return { finder: main, areLookedUp: false, tested: [], some: null }
  const ids = others.map((selection) => selection.ids)
  const [ofAll = 0, ...counts] = await countsOf(db, ids, restrictedBy(main, places))
  const isRestricted = main !== null || places !== null
  const least = Math.min(...counts, ...(isRestricted ? [ofAll] : []))
  const best = others[counts.indexOf(least)] ?? main
  const isScope = places !== null && ofAll === least
  const isBest = main ? 2 * least <= ofAll : least <= few
  const finder = isBest && !isScope ? best : main
  const all = [...(main ? [main] : []), ...others]
  const tested = all.filter((selection) => selection !== finder)
  const last = tested.findLast((selection) => related.includes(selection))
  const isFound = finder !== null || places !== null
  const size = finder && finder === main ? ofAll : least
  return {
    ...{ finder, tested, areLookedUp: isFound && size <= (finder && places ? oneByOneOfFew : oneByOne) },
    some: !isFound && last ? { first: { ...last, ids: sql`${last.ids} limit ${2 * few}` }, all: last } : null,
  }
}
