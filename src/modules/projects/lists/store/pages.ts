import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../../../infra/database/index.ts'
import type { ProjectRow } from '../../tables.ts'
import type { Condition } from './conditions.ts'

const everything: Condition = sql<boolean>`(1 = 1)`

function chosen(db: Reader, conditions: readonly Condition[]) {
  return db.selectFrom('projects').where(sql<boolean>`${sql.join([everything, ...conditions], sql` and `)}`)
}

/** Whether a project comes after an id, for keyset pages. */
export function isBehind(id: number, direction: 'asc' | 'desc'): Condition {
  return direction === 'asc' ? sql<boolean>`projects.id > ${id}` : sql<boolean>`projects.id < ${id}`
}

/** The number of projects that meet the conditions; counted up to `most`. */
export async function countProjects(db: Reader, conditions: readonly Condition[], most: number): Promise<number> {
  const counted = chosen(db, conditions).select('projects.id').limit(most)
  const { count } = await db
    .selectFrom(counted.as('counted'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export type Cut = {
  /** The value by which the list is ordered, before the id; null for the id itself. */
  order: RawBuilder<unknown> | null
  direction: 'asc' | 'desc'
  limit: number
  offset: number
  /** Whether to find all rows first and sort them then, instead of reading them in order. */
  isFew: boolean
}

export type FoundProjects = { rows: ProjectRow[]; hasNext: boolean }

/** The rows of one page of the projects that meet the conditions. */
export async function projectsInCut(db: Reader, conditions: readonly Condition[], cut: Cut): Promise<FoundProjects> {
  const { order, direction, limit, offset, isFew } = cut
  const all = chosen(db, conditions).selectAll('projects')
  // The offset keeps PostgreSQL from reading in the order of the list, where matching rows may be far apart.
  const query =
    isFew && db.engine === 'postgres' ? db.selectFrom(all.offset(0).as('projects')).selectAll('projects') : all
  const rows = await (order ? query.orderBy(order, direction) : query)
    .orderBy('projects.id', direction)
    .limit(limit + 1)
    .offset(offset)
    .execute()
  return { rows: rows.slice(0, limit), hasNext: rows.length > limit }
}
