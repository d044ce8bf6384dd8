import { type RawBuilder, sql } from 'kysely'
import { compared } from '../portable.ts'
import type { Driving } from './driving.ts'
import { idOf, type ListContext, type Parents, type Predicate } from './predicate.ts'
import type { ListQuery } from './query.ts'
import { isDriven, lookUp } from './reading.ts'
import { thresholds } from './thresholds.ts'

/** An access path: how the rows of a list are found. Without a driver the scope or the order of the list may use an index. */
export type Path = {
  /** Few ids, which are found first. */
  ids?: RawBuilder<unknown>
  /** Many ids, which are read one after the other. */
  manyIds?: RawBuilder<unknown>
  /** Parents that have the rows. */
  parents?: Parents
  /** The predicate that all rows on this path meet. */
  met?: Predicate | undefined
  /** Whether an order finds the rows, so that the scope is only compared. */
  isScopeCompared?: boolean
  /** Whether many rows are tested. */
  isCounted?: boolean
}

/** The path of the predicate that was chosen. */
export function pathOf({ scope }: ListQuery, { predicate, count }: Driving): Path {
  const { driver, parents } = predicate ?? {}
  if (predicate && parents && !parents.counted) return { parents, met: predicate }
  if (!predicate || !driver) return {}
  const met = driver.isSufficient ? predicate : undefined
  if (count <= thresholds.driven) return { ids: driver.ids, met }
  if (parents) return { parents }
  // The rows of a filter that does not name the parent of the list may be more than those of the parent.
  return met && (scope === null || driver.isScoped) ? { manyIds: driver.ids, met } : {}
}

/** The conditions on the rows of a list that are tested on a path. */
function tested({ predicates }: ListQuery, { parents, met, isCounted }: Path): RawBuilder<unknown>[] {
  return predicates
    .filter((predicate) => predicate !== met && !(parents && predicate.holdsWithParent))
    .map(({ holds, holdsForMany }) => (isCounted && holdsForMany ? holdsForMany : holds))
}

/** The tables that are read before the rows of the list, and the rows. */
function tablesOn({ db, table }: ListContext, { predicates, driving }: ListQuery, { manyIds, parents }: Path) {
  if (parents) {
    const withParent = predicates.flatMap(({ holdsWithParent = [] }) => holdsWithParent)
    return sql`${parents.table} ${lookUp(db, table, sql.join([parents.on, ...withParent], sql` and `))}`
  }
  if (driving) return sql`${driving.table} cross join ${sql.table(table)}`
  return manyIds ? sql`(${manyIds}) driven cross join ${sql.table(table)}` : sql.table(table)
}

/** The text from `from` on that selects the rows of a list. On a path no condition but that of the path may use an index. */
export function rowsOn(context: ListContext, query: ListQuery, path: Path): RawBuilder<unknown> {
  const { db } = context
  const { lookUps, scope, driving } = query
  const { ids, manyIds, isScopeCompared } = path
  const conditions = [
    ...(ids ? [isDriven(db, idOf(context), ids)] : []),
    ...(manyIds ? [sql`${idOf(context)} = driven.id`] : []),
    ...(scope ? [ids || manyIds || driving || isScopeCompared ? compared(db, scope) : scope] : []),
    ...(driving ? [driving.on] : []),
    ...tested(query, path),
  ]
  const lookedUp = lookUps.map(({ table, on }) => sql` ${lookUp(db, table, on)}`)
  const where = conditions.length === 0 ? sql`` : sql` where ${sql.join(conditions, sql` and `)}`
  return sql`from ${tablesOn(context, query, path)}${sql.join(lookedUp, sql``)}${where}`
}
