import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../../../infra/database/index.ts'
import type { Condition, Filter, First, ListContext } from './filter.ts'
import { type Chosen, few } from './finders.ts'
import type { Join, Selection } from './selection.ts'

/** How the rows are found: by ids, by their projects, or by a condition of a filter; else the scope may use an index. And whether many are counted. */
export type Way = {
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
export function wayOf({ scope }: Selection, { finder, count }: Chosen): Way {
  if (finder?.places) return { ids: null, places: finder.places, met: finder }
  if (!finder?.ids) return { ids: null }
  const met = finder.isSound ? finder : undefined
  if (count <= few) return { ids: finder.ids, met }
  if (finder.candidates) return { ids: null, places: finder.candidates }
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
