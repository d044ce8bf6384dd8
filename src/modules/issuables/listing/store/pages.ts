import { type RawBuilder, sql } from 'kysely'
import type { Condition, First, ListContext } from './filter.ts'
import { type Chosen, chooseFinder, few } from './finders.ts'
import { indexedKey, keyColumns, orderBy } from './orders.ts'
import { type ListOrder, type Part, partsOf, type Ranks } from './parts.ts'
import type { Sample, Selection } from './selection.ts'
import { selected, type Way, wayOf } from './ways.ts'

/** Rows of a list with how many there are in all. */
export type Found<Row> = {
  rows: Row[]
  hasNext: boolean
  /** Undefined when there are more than `few`. */
  total: number | undefined
}

export type Cut = ListOrder & { limit: number; offset: number; after: Condition | null }

type Range = { limit: number; offset: number }

/** How many rows of a selection there are, up to `most`. */
async function countUpTo({ db }: ListContext, all: RawBuilder<unknown>, most: number): Promise<number> {
  const query = sql<{ count: number }>`select count(*) as count from (select 1 ${all} limit ${most}) c`
  return Number((await db.executeQuery(query.compile(db as never))).rows[0]?.count ?? 0)
}

/** The selection of the rows of a part. */
function within({ matches, first }: Part, selection: Selection): Selection {
  const filters = matches ? [...selection.filters, { matches }] : selection.filters
  return { ...selection, filters, ...(first && { first }) }
}

/** The projects of the rows as ranks, which have an index of the order each, as all parts but those by other tables have. */
function ranksOf({ matches, order, first, ranks }: Part, places: First | undefined): Ranks | undefined {
  if (ranks || first || !places) return ranks
  const member = matches ? sql<boolean>`${places.on} and ${matches}` : places.on
  return { rows: places.table, order, member }
}

/** The ids of a part whose rows are found by ranks: so many of each rank as the page may need, the best ranks first. */
function idsByRank(context: ListContext, part: Part, selection: Selection, way: Way, { limit, offset }: Range) {
  const { db, target } = context
  const ranks = ranksOf(part, context.isSmallGroup ? way.places : undefined)
  if (!ranks) return null
  const filters = [{ matches: ranks.member }, ...selection.filters]
  const ofMembers = { ...selection, filters, ...(ranks.first && { first: ranks.first }) }
  const all = selected(context, ofMembers, { ids: null, isFiltered: true, met: part.ranks ? undefined : way.met })
  const [table, id] = [sql.table(target.table), sql.ref(`${target.table}.id`)]
  const ofRank = (columns: RawBuilder<unknown>) =>
    sql`select ${columns} ${all} order by ${part.order} limit ${limit + offset}`
  const from =
    db.engine === 'postgres'
      ? sql`${ranks.rows} cross join lateral (${ofRank(sql`${table}.*`)}) ${table}`
      : sql`${ranks.rows} cross join ${table} where ${id} in (${ofRank(id)})`
  return sql`select ${id} from ${from} order by ${ranks.order} limit ${limit} offset ${offset}`
}

function idsInOrder(context: ListContext, part: Part, selection: Selection, { limit, offset }: Range) {
  const all = selected(context, within(part, selection), { ids: null })
  return sql`select ${sql.ref(`${context.target.table}.id`)} ${all} order by ${part.order} limit ${limit} offset ${offset}`
}

/** The rows with these ids, in the order of the list. */
async function rowsOf<Row>(context: ListContext, ids: RawBuilder<unknown>, order: RawBuilder<unknown>): Promise<Row[]> {
  const { db, target } = context
  const table = sql.table(target.table)
  const query = sql<Row>`select ${table}.* from (${ids}) found cross join ${table}
    where ${sql.ref(`${target.table}.id`)} = found.id order by ${order}`
  return (await db.executeQuery(query.compile(db as never))).rows
}

/** The rows of a page of many, part by part: each is read in the order of its index until the page is full. */
async function rowsByParts<Row>(context: ListContext, selection: Selection, chosen: Chosen, cut: Cut): Promise<Row[]> {
  const way = wayOf(selection, chosen)
  const order = orderBy(context, cut.order, cut.sort, cut.ignoredLabels)
  const rows: Row[] = []
  let { limit, offset } = cut
  limit += 1
  for (const part of partsOf(context, cut)) {
    const range = { limit: limit - rows.length, offset }
    const ids = idsByRank(context, part, selection, way, range) ?? idsInOrder(context, part, selection, range)
    const found = await rowsOf<Row>(context, ids, order)
    rows.push(...found)
    if (rows.length === limit) break
    if (found.length > 0) offset = 0
    else if (offset > 0)
      offset -= await countUpTo(
        context,
        selected(context, within(part, selection), { ...(!part.first && way), ids: null, isCounted: true }),
        offset,
      )
  }
  return rows
}

/** More rows than this take longer to find and to sort than the first of a list take to read. */
const sortedAtOnce = 500

/** So many rows of a list are read in its order before all that match are found. */
const readFirst = 1_000

/** The rows of a page among the first of a list, which has no more conditions than its scope; null when they are not all there. */
async function rowsAmongFirst<Row>(context: ListContext, selection: Selection, cut: Cut): Promise<Row[] | null> {
  const { target } = context
  const key = indexedKey(context, cut.order)
  const [part, more] = partsOf(context, cut)
  if (!key || !part || more || cut.after) return null
  const { limit, offset } = cut
  const scope = selection.scope ?? sql`1 = 1`
  const last = sql`(select ${key} from ${sql.table(target.table)} where ${scope}
    order by ${part.order} limit 1 offset ${readFirst - 1})`
  const isFirst = sql<boolean>`${key} ${sql.raw(cut.sort === 'asc' ? '<=' : '>=')} ${last}`
  const first = { ...selection, filters: [{ matches: isFirst }, ...selection.filters] }
  const ids = idsInOrder(context, part, first, { limit: limit + 1, offset })
  const rows = await rowsOf<Row>(context, ids, part.order)
  return rows.length > limit ? rows : null
}

/** The rows of a page of few: all of them are found and sorted. @param isApart whether they are so few that a page needs all rows read */
async function rowsOfFew<Row>(
  context: ListContext,
  selection: Selection,
  chosen: Chosen,
  cut: Cut,
  isApart: boolean,
): Promise<Row[]> {
  const { db, target } = context
  const table = sql.table(target.table)
  const order = orderBy(context, cut.order, cut.sort, cut.ignoredLabels)
  // Without a finder all rows are tested.
  const isFound = chosen.count <= few
  const way = wayOf(selection, chosen)
  const found = selected(context, selection, { ...way, isCounted: !isFound })
  // These keep the engines from reading in the order of the list, where few matching rows may be far apart.
  const apart = db.engine === 'postgres' ? sql`offset 0` : sql`limit -1`
  const isInOrder = db.engine === 'sqlite' && (isFound || !isApart)
  const all = isInOrder ? found : sql`from (select ${table}.* ${found} ${apart}) ${table}`
  const id = sql.ref(`${target.table}.id`)
  return rowsOf(context, sql`select ${id} ${all} order by ${order} limit ${cut.limit + 1} offset ${cut.offset}`, order)
}

/** A row that also says how many rows the list has; without an id when the page has no row. */
type Counted<Row> = { [Column in keyof Row]: Row[Column] | null } & { listed_total: number }

/**
 * The rows of a page of a small group, and how many there are in all, up to one more than `few`, with one query: its projects, or what
 * else finds the rows, are read once. When there are more, the rows are none of the page. The first rows of the instance are hardly those
 * of a small group, so they are not tried.
 */
async function countedPage<Row>(context: ListContext, selection: Selection, chosen: Chosen, cut: Cut) {
  const { db, target } = context
  const { order, sort, ignoredLabels, limit, offset } = cut
  const [table, id] = [sql.table(target.table), sql.ref(`${target.table}.id`)]
  const keys = keyColumns(context, order, sort, ignoredLabels)
  const all = selected(context, selection, { ...wayOf(selection, chosen), isCounted: true })
  const query = sql<Counted<Row>>`with found as materialized (
      select ${sql.join([id, ...keys.columns])} ${all} limit ${few + 1}),
    page as (select found.id from found order by ${keys.orderBy('found')} limit ${limit + 1} offset ${offset})
    select ${table}.*, counted.total as listed_total from (select count(*) as total from found) counted
    left join page on 1 = 1 left join ${table} on ${id} = page.id order by ${orderBy(context, order, sort, ignoredLabels)}`
  const { rows } = await db.executeQuery(query.compile(db as never))
  const total = Number(rows[0]?.listed_total ?? 0)
  const found = rows.filter((row) => 'id' in row && row.id !== null)
  return { total, rows: found.map(({ listed_total: _, ...row }) => row as Row) }
}

/** So many rows of a sample are read before all of them, and the part of them that has to meet the filters. */
const [triedFirst, leastMet] = [1_000, 1 / 4]

/** Whether the filters are met by so many of the first rows of a sample that counting soon ends. */
async function isFrequent(context: ListContext, { filters, scope }: Sample['selection']): Promise<boolean> {
  const table = sql.table(context.target.table)
  const conditions = sql.join([sql`1 = 1`, ...filters.map(({ matches, counts }) => counts ?? matches)], sql` and `)
  const some = sql`from (select ${table}.* from ${table} where ${scope} limit ${triedFirst}) ${table} where ${conditions}`
  return (await countUpTo(context, some, triedFirst)) >= triedFirst * leastMet
}

/** Whether the sample of a list has many rows. False also where that takes long to count. */
async function isManyInSample({ sample }: Selection): Promise<boolean> {
  const some = await sample?.()
  if (!some) return false
  const { context, selection } = some
  const chosen = await chooseFinder(context, selection)
  if (chosen.count <= few || chosen.isOnly) return chosen.count > few
  if (!wayOf(selection, chosen).found && !(await isFrequent(context, selection))) return false
  return (await countOf(context, selection, chosen)) > few
}

/** How many rows a list has, up to one more than `few`. */
function countOf(context: ListContext, selection: Selection, chosen: Chosen): Promise<number> {
  const way = { ...wayOf(selection, chosen), isCounted: true }
  return countUpTo(context, selected(context, selection, way), few + 1)
}

/** As `countOf`, and by the sample where the list may have many. */
async function totalOf(context: ListContext, selection: Selection, chosen: Chosen): Promise<number> {
  if (chosen.isOnly) return chosen.count
  if (chosen.count > few && (await isManyInSample(selection))) return few + 1
  return countOf(context, selection, chosen)
}

/** A page of a list that is counted first, and what it counts. */
async function pageAfterCount<Row>(context: ListContext, selection: Selection, chosen: Chosen, cut: Cut) {
  const { offset, after } = cut
  const total = await totalOf(context, selection, chosen)
  if (total > few || offset >= total) return { rows: [], total }
  const first = total > sortedAtOnce ? await rowsAmongFirst<Row>(context, selection, cut) : null
  const isApart = total <= sortedAtOnce
  return { rows: first ?? (await rowsOfFew<Row>(context, afterLast(after, selection), chosen, cut, isApart)), total }
}

/** The rows of a selection after the last one of the previous page. */
function afterLast(after: Condition | null, selection: Selection): Selection {
  return after ? { ...selection, filters: [...selection.filters, { matches: after }] } : selection
}

/**
 * The rows of one page: in nine queries at most; in two more when the page begins behind the first part of a list of many
 * rows.
 */
export async function pageOf<Row>(context: ListContext, selection: Selection, cut: Cut): Promise<Found<Row>> {
  const { limit, after } = cut
  const chosen = await chooseFinder(context, selection)
  const rest = afterLast(after, selection)
  const { rows, total } = context.isSmallGroup
    ? await countedPage<Row>(context, rest, chosen, cut)
    : await pageAfterCount<Row>(context, selection, chosen, cut)
  if (total <= few) return { rows: rows.slice(0, limit), hasNext: rows.length > limit, total }
  const many = await rowsByParts<Row>(context, rest, chosen, cut)
  return { rows: many.slice(0, limit), hasNext: many.length > limit, total: undefined }
}

/** Counts all rows of a list, by an expression over its rows. */
export async function countsOf(
  context: ListContext,
  selection: Selection,
  key: RawBuilder<string>,
): Promise<ReadonlyMap<string, number>> {
  const { db } = context
  const chosen = await chooseFinder(context, selection)
  const all = selected(context, selection, { ...wayOf(selection, chosen), isCounted: true })
  const query = sql<{ key: string; count: number }>`select ${key} as key, count(*) as count ${all} group by ${key}`
  const { rows } = await db.executeQuery(query.compile(db as never))
  return new Map(rows.map((row) => [row.key, Number(row.count)]))
}
