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

/** Conditions of parts of a list; no project meets those of two. */
type Parts = readonly (readonly Condition[])[]

const unionOf = (selections: readonly RawBuilder<unknown>[]) => sql.join(selections, sql` union all `)

/** The number of projects that meet the conditions of a part; counted up to `most`. */
export async function countProjects(db: Reader, parts: Parts, most: number): Promise<number> {
  const all = unionOf(parts.map((conditions) => sql`select projects.id ${projectsWith(conditions)}`))
  const query = sql<{ count: number }>`
    select count(*) as count from (${all} limit ${most}) counted`
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

/** The ids of one page of the projects that meet the conditions, with the value by which they are ordered. */
function idsInCut(
  db: Reader,
  conditions: readonly Condition[],
  { order: first, direction, limit, offset, isFew }: Cut,
): RawBuilder<unknown> {
  const all = projectsWith(conditions)
  // The offset keeps PostgreSQL from reading in the order of the list, where matching rows may be far apart.
  const found = isFew && db.engine === 'postgres' ? sql`from (select projects.* ${all} offset 0) projects` : all
  const towards = sql.raw(direction)
  const order = first ? sql`${first} ${towards}, projects.id ${towards}` : sql`projects.id ${towards}`
  return sql`select projects.id, ${first ?? sql`projects.id`} as place ${found}
    order by ${order} limit ${limit + 1} offset ${offset}`
}

/** Each part is read in order, up to the end of the page. */
function idsOfParts(db: Reader, parts: Parts, cut: Cut): RawBuilder<unknown> {
  const first: Cut = { ...cut, limit: cut.offset + cut.limit, offset: 0 }
  const all = unionOf(parts.map((conditions) => sql`select * from (${idsInCut(db, conditions, first)}) part`))
  const towards = sql.raw(cut.direction)
  return sql`select id, place from (${all}) parts
    order by place ${towards}, id ${towards} limit ${cut.limit + 1} offset ${cut.offset}`
}

/** The rows of one page of the projects that meet the conditions of a part. */
export async function projectsInCut(db: Reader, parts: Parts, cut: Cut): Promise<FoundProjects> {
  const [only, ...others] = parts
  // Ids are sorted instead of rows with their texts.
  const ids = only && others.length === 0 ? idsInCut(db, only, cut) : idsOfParts(db, parts, cut)
  const towards = sql.raw(cut.direction)
  const query = sql<ProjectRow>`select projects.* from (${ids}) found cross join projects
    where projects.id = found.id order by found.place ${towards}, found.id ${towards}`
  const { rows } = await db.executeQuery(query.compile(db as never))
  return { rows: rows.slice(0, cut.limit), hasNext: rows.length > cut.limit }
}
