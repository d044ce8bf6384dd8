import { type RawBuilder, sql } from 'kysely'
import { isFound } from '../portable.ts'
import { chooseDriving, type Driving } from './driving.ts'
import { keyColumns, type Order, orderBy, type Ranked, type Segment } from './order.ts'
import { type Path, pathOf, rowsOn } from './path.ts'
import { idOf, type ListContext, type Parents } from './predicate.ts'
import { type ListQuery, restricted, type Sample } from './query.ts'
import { allOf, asItStands, type Condition, lookUpFirst } from './reading.ts'
import { thresholds } from './thresholds.ts'

/** The rows of a page, with how many the list has in all. */
export type ListPage<Row> = {
  rows: Row[]
  hasNext: boolean
  /** Undefined when there are more than `thresholds.driven`. */
  total: number | undefined
}

/** Which rows a page has. @property after the rows after the last one of the previous page, of keyset pages */
export type Slice = { order: Order; limit: number; offset: number; after: Condition | null }

type Range = { limit: number; offset: number }

const isMany = (count: number) => count > thresholds.driven

/** How many rows a query has, up to `most`. @param rows the text from `from` on */
async function boundedCount({ db }: ListContext, rows: RawBuilder<unknown>, most: number): Promise<number> {
  const query = sql<{ count: number }>`select count(*) as count from (select 1 ${rows} limit ${most}) c`
  return Number((await db.executeQuery(query.compile(db as never))).rows[0]?.count ?? 0)
}

/** The rows of a segment. */
function within({ holds, driving }: Segment, query: ListQuery): ListQuery {
  return { ...restricted(query, holds), ...(driving && { driving }) }
}

/** The ranked rows of a segment; few parents are such, because an index has the order of the rows of each. */
function rankedOf(
  { holds, orderBy, driving, ranked }: Segment,
  { walked }: Order,
  parents: Parents | undefined,
): Ranked | undefined {
  if (ranked || driving || !parents) return ranked
  const { named, on } = parents
  return {
    rows: parents.table,
    orderBy,
    member: holds ? sql<boolean>`${on} and ${holds}` : on,
    ...(named && walked && { first: { named, ...walked } }),
  }
}

/** Whether a ranked row has rows that meet what an index tells of them. */
function hasRows({ db, table }: ListContext, { member }: Ranked, { predicates }: ListQuery): Condition {
  const told = predicates.flatMap(({ holdsWithParent = [] }) => holdsWithParent)
  if (told.length === 0) return allOf([])
  return isFound(db, sql`${sql.table(table)} where ${allOf([member, ...told])}`)
}

/**
 * The ranked rows that a page may have: a page of some rows has those of as many ranked rows at most, whose own first rows are first.
 * @param firstOf the query of a column of the first row of a ranked row
 */
function firstRanked(
  context: ListContext,
  ranked: Ranked,
  query: ListQuery,
  firstOf: (column: RawBuilder<unknown>) => RawBuilder<unknown>,
  most: number,
): RawBuilder<unknown> {
  const { rows, first } = ranked
  if (!first) return rows
  const { named, key, direction } = first
  const [name, towards] = [sql.ref(named), sql.raw(direction)]
  const isAmong = sql.raw(direction === 'asc' ? '<=' : '>=')
  const last = sql`select first_key from firsts where first_key is not null
    order by first_key ${towards} limit 1 offset ${most - 1}`
  return sql`(with firsts as materialized (select ${name}.*, (${firstOf(key)}) as first_key from ${rows}
      where ${hasRows(context, ranked, query)})
    select * from firsts where first_key ${isAmong} coalesce((${last}), first_key)) ${name}`
}

/** The ids of a segment with ranked rows: so many of each as the page may need, the first ranks first. */
function idsByRank(
  context: ListContext,
  { segment, order }: { segment: Segment; order: Order },
  query: ListQuery,
  path: Path,
  { limit, offset }: Range,
) {
  const ranked = rankedOf(segment, order, context.hasFewParents ? path.parents : undefined)
  if (!ranked) return null
  const { db, table } = context
  const predicates = [{ holds: ranked.member }, ...query.predicates]
  const members = { ...query, predicates, ...(ranked.driving && { driving: ranked.driving }) }
  const met = segment.ranked ? undefined : path.met
  const rows = rowsOn(context, members, { isScopeCompared: true, met })
  const first = (columns: RawBuilder<unknown>, most: number) =>
    sql`select ${columns} ${rows} order by ${segment.orderBy} limit ${most}`
  const most = limit + offset
  const among = firstRanked(context, ranked, query, (column) => first(column, 1), most)
  return sql`select ${idOf(context)} from ${among} ${lookUpFirst(db, table, (columns) => first(columns, most))}
    order by ${ranked.orderBy} limit ${limit} offset ${offset}`
}

/** The ids of a segment in the order of its index. */
function idsInOrder(context: ListContext, segment: Segment, query: ListQuery, { limit, offset }: Range) {
  const rows = rowsOn(context, within(segment, query), {})
  return sql`select ${idOf(context)} ${rows} order by ${segment.orderBy} limit ${limit} offset ${offset}`
}

/** The rows with these ids, in order: ids are sorted, and not rows with their texts. */
async function rowsOf<Row>(context: ListContext, ids: RawBuilder<unknown>, order: RawBuilder<unknown>): Promise<Row[]> {
  const { db } = context
  const table = sql.table(context.table)
  const query = sql<Row>`select ${table}.* from (${ids}) found cross join ${table}
    where ${idOf(context)} = found.id order by ${order}`
  return (await db.executeQuery(query.compile(db as never))).rows
}

/** The rows of a page of many, segment by segment: each is read in the order of its index until the page is full. */
async function pageOfMany<Row>(context: ListContext, query: ListQuery, driving: Driving, slice: Slice): Promise<Row[]> {
  const path = pathOf(query, driving)
  const order = orderBy(slice.order, context.table)
  const rows: Row[] = []
  const limit = slice.limit + 1
  let { offset } = slice
  for (const segment of slice.order.segments) {
    const range = { limit: limit - rows.length, offset }
    const ids =
      idsByRank(context, { segment, order: slice.order }, query, path, range) ??
      idsInOrder(context, segment, query, range)
    const found = await rowsOf<Row>(context, ids, order)
    rows.push(...found)
    if (rows.length === limit) break
    if (found.length > 0) offset = 0
    else if (offset > 0) {
      const { ids: _, ...counting } = { ...(segment.driving ? {} : path), isCounted: true }
      offset -= await boundedCount(context, rowsOn(context, within(segment, query), counting), offset)
    }
  }
  return rows
}

/** The rows of a page among the first ones of a list, if it is full there: null else, and for orders in segments. */
async function pageAmongFirst<Row>(context: ListContext, query: ListQuery, slice: Slice): Promise<Row[] | null> {
  const { order, limit, offset, after } = slice
  const [segment] = order.segments
  if (!order.walked || !segment || after) return null
  const { key, direction } = order.walked
  const last = sql`(select ${key} from ${sql.table(context.table)} where ${query.scope ?? sql`1 = 1`}
    order by ${segment.orderBy} limit 1 offset ${thresholds.walkedFirst - 1})`
  const holds = sql<boolean>`${key} ${sql.raw(direction === 'asc' ? '<=' : '>=')} ${last}`
  const first = { ...query, predicates: [{ holds }, ...query.predicates] }
  const ids = idsInOrder(context, segment, first, { limit: limit + 1, offset })
  const rows = await rowsOf<Row>(context, ids, segment.orderBy)
  return rows.length > limit ? rows : null
}

/**
 * The rows of a page: all rows of the list are found and sorted.
 * @param isApart whether they are so few that the engines would read nearly all rows in the order of the list to find a page of them
 */
async function sortedPage<Row>(
  context: ListContext,
  query: ListQuery,
  driving: Driving,
  { order, limit, offset }: Slice,
  isApart: boolean,
): Promise<Row[]> {
  const { db } = context
  const table = sql.table(context.table)
  const isDriven = !isMany(driving.count)
  const found = rowsOn(context, query, { ...pathOf(query, driving), isCounted: !isDriven })
  const mayWalk = db.engine === 'sqlite' && (isDriven || !isApart)
  const rows = mayWalk ? found : sql`from (select ${table}.* ${found} ${asItStands(db)}) ${table}`
  const inOrder = orderBy(order, context.table)
  const ids = sql`select ${idOf(context)} ${rows} order by ${inOrder} limit ${limit + 1} offset ${offset}`
  return rowsOf(context, ids, inOrder)
}

/** A row that also says how many rows the list has; without an id when the page has no row. */
type Counted<Row> = { [Column in keyof Row]: Row[Column] | null } & { listed_total: number }

/**
 * The rows of a page where parents are few, and how many there are in all, up to one more than `thresholds.driven`, with one query: what
 * finds the rows is read once. When there are more, there are no rows and nothing is sorted. The first rows of the table are hardly those of few
 * parents, so they are not tried.
 */
async function countedPage<Row>(context: ListContext, query: ListQuery, driving: Driving, slice: Slice) {
  const { db } = context
  const { order, limit, offset } = slice
  const [table, id] = [sql.table(context.table), idOf(context)]
  const path = pathOf(query, driving)
  const keys = keyColumns(order, path.parents !== undefined)
  const rows = rowsOn(context, query, { ...path, isCounted: true })
  const all = sql<Counted<Row>>`with found as materialized (
      select ${sql.join([id, ...keys.columns])} ${rows} limit ${thresholds.driven + 1}),
    page as (select found.id from found where (select count(*) from found) <= ${thresholds.driven} order by ${keys.orderBy('found')} limit ${limit + 1} offset ${offset})
    select ${table}.*, counted.total as listed_total from (select count(*) as total from found) counted
    left join page on 1 = 1 left join ${table} on ${id} = page.id order by ${orderBy(order, context.table)}`
  const found = (await db.executeQuery(all.compile(db as never))).rows
  const onPage = found.filter((row) => 'id' in row && row.id !== null)
  return {
    total: Number(found[0]?.listed_total ?? 0),
    rows: onPage.map(({ listed_total: _, ...row }) => row as Row),
  }
}

/** Whether the predicates are met by so many of the first rows of a sample that counting soon ends. */
async function isFrequent(context: ListContext, { predicates, scope }: Sample['query']): Promise<boolean> {
  const table = sql.table(context.table)
  const tested = allOf(predicates.map(({ holds, holdsForMany }) => holdsForMany ?? holds))
  const { sampled, sampledShare } = thresholds
  const some = sql`from (select ${table}.* from ${table} where ${scope} limit ${sampled}) ${table} where ${tested}`
  return (await boundedCount(context, some, sampled)) >= sampled * sampledShare
}

/** Whether the sample of a list has many rows. False also where that takes long to count. */
async function isManyInSample({ sample }: ListQuery): Promise<boolean> {
  const some = await sample?.()
  if (!some) return false
  const { context, query } = some
  const driving = await chooseDriving(context, query)
  if (!isMany(driving.count) || driving.isAlone) return isMany(driving.count)
  if (!pathOf(query, driving).manyIds && !(await isFrequent(context, query))) return false
  return isMany(await countOn(context, query, driving))
}

/** How many rows a list has, up to one more than `thresholds.driven`. */
function countOn(context: ListContext, query: ListQuery, driving: Driving): Promise<number> {
  const rows = rowsOn(context, query, { ...pathOf(query, driving), isCounted: true })
  return boundedCount(context, rows, thresholds.driven + 1)
}

/** A page of a list that is counted first, and what it counts. */
async function pageAfterCount<Row>(context: ListContext, query: ListQuery, driving: Driving, slice: Slice) {
  const isKnown = driving.isAlone || (isMany(driving.count) && (await isManyInSample(query)))
  const total = isKnown ? driving.count : await countOn(context, query, driving)
  if (isMany(total) || slice.offset >= total) return { rows: [], total }
  const isApart = total <= thresholds.sortedAtOnce
  const first = isApart ? null : await pageAmongFirst<Row>(context, query, slice)
  return {
    rows: first ?? (await sortedPage<Row>(context, restricted(query, slice.after), driving, slice, isApart)),
    total,
  }
}

/** One page of a list: in nine queries at most, and two more when the page begins behind the first segment of many rows. */
export async function readPage<Row>(context: ListContext, query: ListQuery, slice: Slice): Promise<ListPage<Row>> {
  const { limit, after } = slice
  const driving = await chooseDriving(context, query)
  const rest = restricted(query, after)
  const { rows, total } = context.hasFewParents
    ? await countedPage<Row>(context, rest, driving, slice)
    : await pageAfterCount<Row>(context, query, driving, slice)
  if (!isMany(total)) return { rows: rows.slice(0, limit), hasNext: rows.length > limit, total }
  const many =
    slice.order.segments.length > 0
      ? await pageOfMany<Row>(context, rest, driving, slice)
      : await sortedPage<Row>(context, rest, driving, slice, true)
  return { rows: many.slice(0, limit), hasNext: many.length > limit, total: undefined }
}

/** How many rows a list has. @param most a larger count is this */
export async function countUpTo(context: ListContext, query: ListQuery, most: number): Promise<number> {
  const rows = rowsOn(context, query, { ...pathOf(query, await chooseDriving(context, query)), isCounted: true })
  return boundedCount(context, rows, most)
}

/** Counts all rows of a list, by an expression over its rows. */
export async function countByKey(
  context: ListContext,
  query: ListQuery,
  key: RawBuilder<string>,
): Promise<ReadonlyMap<string, number>> {
  const { db } = context
  const rows = rowsOn(context, query, { ...pathOf(query, await chooseDriving(context, query)), isCounted: true })
  const counts = sql<{ key: string; count: number }>`select ${key} as key, count(*) as count ${rows} group by ${key}`
  const found = (await db.executeQuery(counts.compile(db as never))).rows
  return new Map(found.map((row) => [row.key, Number(row.count)]))
}
