import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../../../infra/database/index.ts'
import type { Condition, Filter, First, ListContext } from './filter.ts'
import { type Chosen, chooseFinder, few } from './finders.ts'
import { indexedKey, orderBy } from './orders.ts'
import { type ListOrder, type Part, partsOf, type Ranks } from './parts.ts'
import type { Join, Sample, Selection } from './selection.ts'

/** How the rows are found: by ids, by their projects, or by a condition of a filter; else the scope may use an index. And whether many are counted. */
type Way = {
  ids: RawBuilder<unknown> | null
  /** Projects that have the rows. */
  places?: First
  /** Ids of many rows, which are read one after the other until enough are counted. */
  found?: RawBuilder<unknown>
  /** A filter that all rows with these ids meet. */
  met?: Filter | undefined
  isFiltered?: boolean
  isCounted?: boolean
}

/** How the rows are found that a filter may find. */
function wayOf({ scope }: Selection, { finder, count }: Chosen): Way {
  if (finder?.places) return { ids: null, places: finder.places, met: finder }
  if (!finder?.ids) return { ids: null }
  const met = finder.isSound ? finder : undefined
  if (count <= few) return { ids: finder.ids, met }
  // The rows of a filter that does not name the project may be more than those of the project.
  return met && (scope === null || met.isExact) ? { ids: null, found: finder.ids, met } : { ids: null }
}

/** Whether an id is one of the few that a finder gives. PostgreSQL reads them first only when they are an array. */
function isAmong({ engine }: Reader, id: RawBuilder<unknown>, ids: RawBuilder<unknown>): Condition {
  return engine === 'postgres' ? sql<boolean>`${id} = any(array(${ids}))` : sql<boolean>`${id} in (${ids})`
}

/** A joined table whose row is looked up for each row of the list. PostgreSQL would read all of it, as it cannot see that a page ends. */
export function lookedUp({ engine }: Reader, { table, on }: Join): RawBuilder<unknown> {
  const name = sql.table(table)
  return engine === 'postgres'
    ? sql` cross join lateral (select * from ${name} where ${on} offset 0) ${name}`
    : sql` cross join ${name} on ${on}`
}

/** Rows that are found by their projects. PostgreSQL would read all rows, and join them. */
function rowsOfPlaces({ db, target }: ListContext, { table, on }: First, filters: readonly Filter[]) {
  const rows = sql.table(target.table)
  const conditions = sql.join([on, ...filters.flatMap(({ within = [] }) => within)], sql` and `)
  return db.engine === 'postgres'
    ? { from: sql`${table} cross join lateral (select * from ${rows} where ${conditions} offset 0) ${rows}`, where: [] }
    : { from: sql`${table} cross join ${rows}`, where: [conditions] }
}

/** The text from `from` on. With a finder or a first table no condition but the id may use an index. */
export function selected(
  context: ListContext,
  { filters, joins, scope, first }: Selection,
  { ids, places, found, met, isFiltered, isCounted }: Way,
) {
  const { db, target } = context
  const within = places && rowsOfPlaces(context, places, filters)
  const plus = sql.raw(db.engine === 'sqlite' ? '+' : '')
  const conditions = [
    ...(ids ? [isAmong(db, sql.ref(`${target.table}.id`), ids)] : []),
    ...(found ? [sql`${sql.ref(`${target.table}.id`)} = found_ids.id`] : []),
    ...(scope ? [ids || found || first || isFiltered ? sql`${plus}(${scope})` : scope] : []),
    ...(first ? [first.on] : []),
    ...(within ? within.where : []),
    ...filters
      .filter((filter) => filter !== met && !(within && filter.within))
      .map(({ matches, counts }) => (isCounted && counts ? counts : matches)),
  ]
  const joined = joins.map((one) => lookedUp(db, one))
  const where = conditions.length === 0 ? sql`` : sql` where ${sql.join(conditions, sql` and `)}`
  const start = first ? sql`${first.table} cross join ` : found ? sql`(${found}) found_ids cross join ` : sql``
  const rows = within?.from ?? sql`${start}${sql.table(target.table)}`
  return sql`from ${rows}${sql.join(joined, sql``)}${where}`
}

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
  const ranks = ranksOf(part, way.places)
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
  const found = selected(context, selection, { ...way, isCounted: !isFound || way.places !== undefined })
  // These keep the engines from reading in the order of the list, where few matching rows may be far apart.
  const apart = db.engine === 'postgres' ? sql`offset 0` : sql`limit -1`
  const isInOrder = db.engine === 'sqlite' && (isFound || !isApart)
  const all = isInOrder ? found : sql`from (select ${table}.* ${found} ${apart}) ${table}`
  const id = sql.ref(`${target.table}.id`)
  return rowsOf(context, sql`select ${id} ${all} order by ${order} limit ${cut.limit + 1} offset ${cut.offset}`, order)
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

/**
 * The rows of one page: in nine queries at most; in two more when the page begins behind the first part of a list of many
 * rows.
 */
export async function pageOf<Row>(context: ListContext, selection: Selection, cut: Cut): Promise<Found<Row>> {
  const { limit, offset, after } = cut
  const chosen = await chooseFinder(context, selection)
  const count = await totalOf(context, selection, chosen)
  const isMany = count > few
  if (!isMany && offset >= count) return { rows: [], hasNext: false, total: count }
  const rest = after ? { ...selection, filters: [...selection.filters, { matches: after }] } : selection
  // The first of the instance are hardly those of a small group.
  const isLong = !isMany && count > sortedAtOnce && !context.isSmallGroup
  const first = isLong ? await rowsAmongFirst<Row>(context, selection, cut) : null
  const others = () =>
    isMany
      ? rowsByParts<Row>(context, rest, chosen, cut)
      : rowsOfFew<Row>(context, rest, chosen, cut, count <= sortedAtOnce)
  const rows = first ?? (await others())
  return { rows: rows.slice(0, limit), hasNext: rows.length > limit, total: isMany ? undefined : count }
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
