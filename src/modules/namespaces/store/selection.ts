import { type RawBuilder, sql } from 'kysely'
import {
  anyContains,
  type Condition,
  type Filter,
  type ListContext,
  onText,
  type Predicate,
  type PredicateUse,
  plannedForValues,
  type Reader,
  shortestTrigram,
  unindexed,
} from '../../../infra/database/index.ts'
import { type OwnRoles, reachesNamespace } from '../../access/index.ts'

/** Personal namespaces come before groups. An index has all by it and their ids. */
export const kindRank = sql<number>`case when kind = 'user' then 0 else 1 end`

/** The id of a namespace, for conditions that are used in this way. */
export const namespaceId = (db: Reader, use: PredicateUse): RawBuilder<unknown> =>
  use === 'drives' ? sql.ref('namespaces.id') : unindexed(db, 'namespaces.id')

/** Whether a user has at least this role in a namespace, of its own or inherited. */
export function isReached(db: Reader, roles: OwnRoles, least: number, use: PredicateUse = 'drives'): Condition {
  const reached = reachesNamespace(db, roles, namespaceId(db, use), least, use)
  // PostgreSQL would make a join of it, in the order of what it expects. Of an expression it tests each row by the set.
  return use === 'drives' ? reached : sql<boolean>`(${reached}) is true`
}

/** A predicate on namespaces whose condition finds them, too. */
export const onUse = (holds: (use: PredicateUse) => Condition): Predicate => ({
  holds: holds('tests'),
  holdsForMany: holds('counts'),
  driver: { ids: sql`select namespaces.id from namespaces where ${holds('drives')}`, isSufficient: true },
})

/** The namespaces in which a user has at least this role, of its own or inherited. */
export const reachedBy = ({ db }: ListContext, roles: OwnRoles, least: number): Predicate =>
  onUse((use) => isReached(db, roles, least, use))

/** The namespaces whose name or path, or one of other columns, contains a text. */
export function named(context: ListContext, text: string, columns: readonly string[] = ['name', 'path']): Predicate {
  const matches = (table: string) => {
    const all = columns.map((column) => `${table}.${column}`)
    return sql<boolean>`${anyContains(all, text)} ${plannedForValues}`
  }
  // No index finds a shorter text.
  return [...text].length < shortestTrigram ? { holds: matches(context.table) } : onText(context, text, matches)
}

/** The namespaces that have none above them. */
export const topLevelOnly: Filter<ListContext, boolean> = (_, value) =>
  value ? { holds: sql<boolean>`namespaces.parent_id is null` } : []

/** Leaves out numbers that are too large for an id; the database refuses them. */
export function possibleIds(ids: readonly number[]): number[] {
  return ids.filter((id) => Number.isSafeInteger(id))
}
