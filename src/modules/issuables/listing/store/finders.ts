import { type RawBuilder, sql } from 'kysely'
import { alwaysFew, fewBeside } from '../../../../infra/database/index.ts'
import type { Filter, ListContext } from './filter.ts'
import type { Selection } from './selection.ts'

/** Sets of at most this many rows are found first and sorted then. */
export const few = 10_000

/** The filter that finds the fewest rows, and how many it finds, up to one more than `few`. */
export type Chosen = { finder: Filter | null; count: number; isOnly: boolean }

const nothingFound: Chosen = { finder: null, count: few + 1, isOnly: false }

/** Counts the rows of each query, up to so many. */
async function countsUpTo({ db }: ListContext, queries: readonly RawBuilder<unknown>[], most: number) {
  const counts = queries.map(
    (query, index) => sql`(select count(*) from (select 1 from (${query}) f limit ${sql.lit(most)}) c)
      as ${sql.ref(`count_${index}`)}`,
  )
  const { rows } = await db.executeQuery(sql<Record<string, number>>`select ${sql.join(counts)}`.compile(db as never))
  return queries.map((_, index) => Number(rows[0]?.[`count_${index}`] ?? 0))
}

async function fewest(context: ListContext, { filters }: Selection, finders: readonly Filter[]): Promise<Chosen> {
  if (finders.length === 0) return nothingFound
  const counts = await countsUpTo(
    context,
    finders.map(({ ids }) => ids ?? sql`select 1`),
    few + 1,
  )
  const found = finders.map((finder, index) => ({ finder, count: counts[index] ?? 0 }))
  const best = found.reduce((left, right) => (right.count < left.count ? right : left))
  return { ...best, isOnly: filters.length === 1 && best.finder.isExact === true }
}

/** Reading so many rows of the instance, and looking up the project of each, takes longer than finding the rows of a project. */
const rowsForProject = 8

/** Whether projects are always few, so that their rows are counted, or few beside the rows of the instance, or neither. */
async function projectsAre({ db, target }: ListContext, projects: readonly RawBuilder<unknown>[]) {
  const most = fewBeside(target.table, rowsForProject)
  const all = sql`${sql.join(projects, sql` union all `)} limit ${most} + 1`
  const query = sql<{ most: number; count: number }>`select ${most} as most, (select count(*) from (${all}) c) as count`
  const [row] = (await db.executeQuery(query.compile(db as never))).rows
  const count = Number(row?.count ?? 0)
  if (count <= alwaysFew) return 'few'
  return count <= Number(row?.most ?? 0) ? 'fewer than rows' : 'many'
}

/**
 * Chooses the filter that finds the fewest rows by its index. The engines cannot know: SQLite has no statistics, and a filter's value
 * may be in half of all rows or in none.
 */
export async function chooseFinder(context: ListContext, selection: Selection): Promise<Chosen> {
  const finders = selection.filters.filter(({ ids }) => ids !== undefined)
  const own = finders.filter(({ projects }) => projects === undefined)
  const chosen = await fewest(context, selection, own)
  if (chosen.count <= few) return chosen
  // The rows of these projects are not counted beforehand: they are found also where they are many.
  const below = selection.filters.find(({ places }) => places !== undefined)
  if (below) return { finder: below, count: few, isOnly: false }
  const visible = finders.find(({ projects }) => projects !== undefined)
  if (!visible?.projects) return chosen
  const are = await projectsAre(context, visible.projects)
  if (are === 'many') return chosen
  if (are === 'few') return fewest(context, selection, [visible])
  return { finder: visible, count: few + 1, isOnly: false }
}
