import { type RawBuilder, sql } from 'kysely'
import { apart, lookUp, type Reader, unindexed } from '../../../../infra/database/index.ts'
import type { ProjectRow } from '../../tables.ts'
import type { Condition, ListConditions } from './conditions.ts'
import type { ListOrder } from './orders.ts'
import type { Selection } from './selections.ts'

/** The projects of a part of a list; none is in two parts. */
export type Part = ListConditions & {
  /** What finds them; null where a condition does. */
  finder: Selection | null
}

const everything: Condition = sql<boolean>`(1 = 1)`

/**
 * The project of each row of a selection `chosen`, looked up by its id: the text after the name of the selection.
 * @param id of the row; SQLite restricts the rows by conditions on the ids of projects where it is a column
 */
function lookedUp(
  db: Reader,
  conditions: readonly Condition[],
  id: RawBuilder<unknown> = sql.ref('chosen.project_id'),
): RawBuilder<unknown> {
  const all = sql.join([everything, ...conditions], sql` and `)
  return sql`${lookUp(db, 'projects', sql`projects.id = ${id}`)} where ${all}`
}

/** What a selection finds and conditions on the ids leave, as the text after `select projects.id`: no project is read for the others. */
const left = (finder: Selection, byId: readonly Condition[]) => sql`from (
  select chosen.project_id as id, chosen.project_id as found_id from (${finder.ids}) chosen) projects where ${sql.join([everything, ...byId], sql` and `)}`

/** As text: the shape depends on the filter, so nothing is prepared, and the query builder takes a tenth of a list's time. */
function projectsWith(db: Reader, { finder, byId, conditions }: Part): RawBuilder<unknown> {
  if (finder)
    return sql`from (select projects.id as project_id ${left(finder, byId)} ${apart(db)}) chosen ${lookedUp(db, conditions)}`
  return sql`from projects where ${sql.join([everything, ...byId, ...conditions], sql` and `)}`
}

/** The ids of the projects of a part, as `id`. No row is read where the ids say enough. */
function idsOf(db: Reader, part: Part): RawBuilder<unknown> {
  const { finder, byId, idsOnly } = part
  if (finder && idsOnly) return sql`select projects.id ${left(finder, [...byId, ...idsOnly])}`
  return sql`select projects.id ${projectsWith(db, part)}`
}

/** Whether a project comes after an id, for keyset pages. */
export function isBehind(id: number, direction: 'asc' | 'desc'): Condition {
  return direction === 'asc' ? sql<boolean>`projects.id > ${id}` : sql<boolean>`projects.id < ${id}`
}

const unionOf = (selections: readonly RawBuilder<unknown>[]) => sql.join(selections, sql` union all `)

/** The ids of the projects of some parts, as `id`. */
export const idsOfParts = (db: Reader, parts: readonly Part[]) => unionOf(parts.map((part) => idsOf(db, part)))

/** The number of projects of some parts; counted up to `most`. */
export async function countProjects(db: Reader, parts: readonly Part[], most: number): Promise<number> {
  const query = sql<{ count: number }>`
    select count(*) as count from (${idsOfParts(db, parts)} limit ${most}) counted`
  const { rows } = await db.executeQuery(query.compile(db as never))
  return rows[0]?.count ?? 0
}

export type Cut = {
  order: ListOrder
  direction: 'asc' | 'desc'
  limit: number
  offset: number
  /** Whether to find all rows first and sort them then, instead of reading them in order. */
  isFew: boolean
}

export type FoundProjects = { rows: ProjectRow[]; hasNext: boolean }

/** The order of a list by its value and the id. @param value the id itself when null */
function ordering(value: RawBuilder<unknown> | null, id: RawBuilder<unknown>, direction: 'asc' | 'desc') {
  const towards = sql.raw(direction)
  return value ? sql`${value} ${towards}, ${id} ${towards}` : sql`${id} ${towards}`
}

const projectId = sql.ref('projects.id')

/**
 * The rows of the finder of a part in the order of the list, and their value in it; of a part without a finder those of all projects,
 * where another table has them in this order. Null when no index has them, and for few projects.
 */
function ordered({ finder }: Part, { order: { column, rows }, isFew }: Cut) {
  if (!finder && rows) return isFew ? null : { rows: rows.inOrder, value: rows.value }
  if (!finder?.inOrder || (column !== 'created_at' && column !== 'id')) return null
  return { rows: finder.inOrder, value: column === 'id' ? null : sql.ref('chosen.project_created_at') }
}

/** Whether the projects of a part are read in the order of the list. */
export const isReadInOrder = (part: Part, cut: Cut) => ordered(part, cut) !== null

/** The ids of one page of a part, with the value by which they are ordered. */
function idsInCut(db: Reader, part: Part, cut: Cut): RawBuilder<unknown> {
  const { order, direction, limit, offset, isFew } = cut
  const inOrder = ordered(part, cut)
  if (inOrder) {
    const { rows, value } = inOrder
    const id = sql.ref('chosen.project_id')
    const foundBy = order.column === 'id' ? id : unindexed(db, 'chosen.project_id')
    return sql`select chosen.project_id as id, ${value ?? id} as place
      from (select found.* from ${rows}) chosen ${lookedUp(db, [...part.byId, ...part.conditions], foundBy)}
      order by ${ordering(value, id, direction)} limit ${limit + 1} offset ${offset}`
  }
  const all = projectsWith(db, part)
  // The offset keeps PostgreSQL from reading in the order of the list, where matching rows may be far apart.
  const isSorted = db.engine === 'postgres' && (isFew || part.finder !== null)
  const found = isSorted ? sql`from (select projects.* ${all} offset 0) projects` : all
  return sql`select projects.id, ${order.value ?? projectId} as place ${found}
    order by ${ordering(order.value, projectId, direction)} limit ${limit + 1} offset ${offset}`
}

/** Each part is read in order, up to the end of the page. */
function idsInCutOfParts(db: Reader, parts: readonly Part[], cut: Cut): RawBuilder<unknown> {
  const first: Cut = { ...cut, limit: cut.offset + cut.limit, offset: 0 }
  const all = unionOf(parts.map((part) => sql`select * from (${idsInCut(db, part, first)}) part`))
  return sql`select id, place from (${all}) parts
    order by ${ordering(sql`place`, sql`id`, cut.direction)} limit ${cut.limit + 1} offset ${cut.offset}`
}

/** The rows of one page of some parts. */
export async function projectsInCut(db: Reader, parts: readonly Part[], cut: Cut): Promise<FoundProjects> {
  const [only, ...others] = parts
  // Ids are sorted instead of rows with their texts.
  const ids = only && others.length === 0 ? idsInCut(db, only, cut) : idsInCutOfParts(db, parts, cut)
  const query = sql<ProjectRow>`select projects.* from (${ids}) found cross join projects
    where projects.id = found.id order by ${ordering(sql`found.place`, sql`found.id`, cut.direction)}`
  const { rows } = await db.executeQuery(query.compile(db as never))
  return { rows: rows.slice(0, cut.limit), hasNext: rows.length > cut.limit }
}

/** So many of the first projects of an order are read for a page before the list is found otherwise. */
const first = 5_000

/**
 * One page of a part, if it is full and among the first projects of all in the order of the list. Null else, and when too few are
 * expected there.
 * @param part without a finder
 * @param count the number of its projects; null for many
 */
export async function projectsAmongFirst(
  db: Reader,
  part: Part,
  cut: Cut,
  count: number | null,
): Promise<FoundProjects | null> {
  const { value, column } = cut.order
  if (!column) return null
  const place = value ? sql`${value}, ${projectId}` : projectId
  const last = sql`(select ${place} from projects order by ${ordering(value, projectId, cut.direction)}
    limit 1 offset ${sql.lit(first)})`
  const isFirst = sql<boolean>`(${place}) ${sql.raw(cut.direction === 'asc' ? '<' : '>')} ${last}`
  const needed = 2 * (cut.offset + cut.limit)
  // The largest id says how many projects there are. It is compared once, before a project is read.
  const areExpected = sql<boolean>`(select max(every.id) from projects every) <= ${sql.lit(Math.floor((first * (count ?? 0)) / needed))}`
  const walked = {
    ...part,
    finder: null,
    conditions: [...(count === null ? [] : [areExpected]), isFirst, ...part.conditions],
  }
  const found = await projectsInCut(db, [walked], { ...cut, isFew: false })
  return found.hasNext ? found : null
}

/** So many projects are sorted at most for a page that is not among the first of all. */
const mostToSort = 50_000

/** One page of a part whose projects are found first and sorted then. Null where these are too many, or the page is past their end. */
export async function projectsSorted(db: Reader, part: Part, cut: Cut): Promise<FoundProjects | null> {
  const { order, direction, limit, offset } = cut
  const inOrder = ordering(sql`place`, sql`id`, direction)
  const query = sql<ProjectRow & { found_count: number }>`
    with found as materialized (
      select projects.id, ${order.value ?? projectId} as place ${projectsWith(db, part)} limit ${mostToSort + 1}
    ), page as (select id, place from found order by ${inOrder} limit ${limit + 1} offset ${offset})
    select projects.*, (select count(*) from found) as found_count from page cross join projects
      where projects.id = page.id order by ${ordering(sql`page.place`, sql`page.id`, direction)}`
  const { rows } = await db.executeQuery(query.compile(db as never))
  if (rows.length === 0 || Number(rows[0]?.found_count) > mostToSort) return null
  return { rows: rows.slice(0, limit), hasNext: rows.length > limit }
}
