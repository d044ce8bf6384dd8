import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../../../infra/database/index.ts'
import type { ProjectRow } from '../../tables.ts'
import type { Condition } from './conditions.ts'

const everything: Condition = sql<boolean>`(1 = 1)`

/** As text: the shape depends on the filter, so nothing is prepared, and the query builder takes a tenth of a list's time. */
const projectsWith = (conditions: readonly Condition[]) =>
  sql`from projects where ${sql.join([everything, ...conditions], sql` and `)}`

/** Whether a project comes after an id, for keyset pages. */
export function isBehind(id: number, direction: 'asc' | 'desc'): Condition {
  return direction === 'asc' ? sql<boolean>`projects.id > ${id}` : sql<boolean>`projects.id < ${id}`
}

/** The number of projects that meet the conditions; counted up to `most`. */
export async function countProjects(db: Reader, conditions: readonly Condition[], most: number): Promise<number> {
  const query = sql<{ count: number }>`
    select count(*) as count from (select projects.id ${projectsWith(conditions)} limit ${most}) counted`
  const { rows } = await db.executeQuery(query.compile(db as never))
  return rows[0]?.count ?? 0
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
  const { order: first, direction, limit, offset, isFew } = cut
  const all = projectsWith(conditions)
  // The offset keeps PostgreSQL from reading in the order of the list, where matching rows may be far apart.
  const found = isFew && db.engine === 'postgres' ? sql`from (select projects.* ${all} offset 0) projects` : all
  const towards = sql.raw(direction)
  const order = first ? sql`${first} ${towards}, projects.id ${towards}` : sql`projects.id ${towards}`
  // Ids are sorted instead of rows with their texts.
  const ids = sql`select projects.id ${found} order by ${order} limit ${limit + 1} offset ${offset}`
  const query = sql<ProjectRow>`select projects.* from (${ids}) found cross join projects
    where projects.id = found.id order by ${order}`
  const { rows } = await db.executeQuery(query.compile(db as never))
  return { rows: rows.slice(0, limit), hasNext: rows.length > limit }
}
