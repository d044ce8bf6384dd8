import { type RawBuilder, sql } from 'kysely'
import { isFound, type Reader } from '../../../../infra/database/index.ts'
import type { ReachUse } from '../../../access/index.ts'
import type { Condition } from './conditions.ts'

/** Projects that rows of another table name. */
export type Selection = {
  /** Selects the ids of the projects, each once, as `project_id`. */
  ids: RawBuilder<unknown>
  /** Whether a project is one of them. Null where the other conditions of a list say so. */
  test: ((db: Reader, use: ReachUse) => Condition) | null
  /**
   * The rows, the text after `from`, when an index has them by `found.project_created_at` and `found.project_id`, and another one by
   * `found.project_id`.
   */
  inOrder: RawBuilder<unknown> | null
}

/**
 * The projects of rows that have the column `project_id`.
 * @param rows the text after `from`, with `found` as the name of the table, and a condition
 */
export function selectionOf(
  rows: RawBuilder<unknown>,
  { isRepeated = false, isOrdered = false }: { isRepeated?: boolean; isOrdered?: boolean } = {},
): Selection {
  const named = sql`${rows} and found.project_id = projects.id`
  return {
    // Several rows may name the same project.
    ids: sql`select ${sql.raw(isRepeated ? 'distinct ' : '')}found.project_id from ${rows}`,
    test: (db, use) => (use === 'filters' ? isFound(db, named) : sql<boolean>`exists (select 1 from ${named})`),
    inOrder: isOrdered ? rows : null,
  }
}

/** Up to so many projects find the rows of a list; more are checked. */
const few = 10_000

/** The selections of the filters of a list. */
export type Selections = {
  related: readonly Selection[]
  /** Those that are of no use alone. */
  own: readonly Selection[]
}

/** Roles in so many projects are looked up one by one. */
export const oneByOne = 500

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

/** The numbers of rows of these queries, each counted up to more than a few, with one query. */
async function countsOf(db: Reader, queries: readonly RawBuilder<unknown>[]): Promise<number[]> {
  const counted = queries.map(
    (query, index) => sql`select ${sql.lit(index)} as place, count(*) as count
      from (select 1 from (${query}) one limit ${sql.lit(few + 1)}) counted`,
  )
  const query = sql<{ place: number; count: number }>`${sql.join(counted, sql` union all `)}`
  const { rows } = await db.executeQuery(query.compile(db as never))
  const counts = new Map(rows.map(({ place, count }) => [Number(place), Number(count)]))
  return queries.map((_, index) => counts.get(index) ?? 0)
}

/**
 * Chooses what finds the projects of a list: the selection with the fewest, or the scope of the list where it has fewer.
 * @param restriction `places`: the ids of the projects of the scope, as `id`; `main`: a selection to which the list is restricted,
 * which finds them when all have many
 */
export async function chooseSelection(
  db: Reader,
  { related, own }: Selections,
  restriction: { places: RawBuilder<unknown> | null; main: Selection | null },
): Promise<Chosen> {
  const { places, main } = restriction
  const isAlone = related.length === 0 && places === null && main === null
  const all = [...(main ? [main] : []), ...related, ...(isAlone ? [] : own)]
  if (all.length === 0 || (main && all.length === 1))
    return { finder: main, areLookedUp: false, tested: [], some: null }
  const counts = await countsOf(db, [...all.map(({ ids }) => ids), ...(places ? [places] : [])])
  const least = Math.min(...counts)
  const best = all[counts.indexOf(least)]
  const isScope = places !== null && counts.at(-1) === least
  const finder = least <= few && !isScope ? (best ?? null) : main
  const tested = all.filter((selection) => selection !== finder)
  const last = tested.findLast((selection) => related.includes(selection))
  const isFound = finder !== null || places !== null
  return {
    ...{ finder, tested, areLookedUp: isFound && least <= oneByOne },
    some: !isFound && last ? { first: { ...last, ids: sql`${last.ids} limit ${2 * few}` }, all: last } : null,
  }
}
