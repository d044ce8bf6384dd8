import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfIds } from '../../../api/index.ts'
import {
  anyContains,
  type PredicateUse,
  plannedForValues,
  type Reader,
  type Tables,
  unindexed,
  within,
} from '../../../infra/database/index.ts'
import { type OwnRoles, reachesNamespace } from '../../access/index.ts'
import type { NamespaceRow } from '../tables.ts'

/** A selection of namespaces: filtered, not ordered yet. */
export type NamespaceQuery = SelectQueryBuilder<Tables, 'namespaces', object>

/** A selection whose conditions on the caller's roles are used to find and count its rows, or to test those that are read in order. */
export type NamespaceChoice = (use: PredicateUse) => NamespaceQuery

/**
 * One page of a selection of namespaces.
 * @param order adds the order
 */
export async function pageOfNamespaces(
  db: Reader,
  choose: NamespaceChoice,
  order: (query: NamespaceQuery) => NamespaceQuery,
  page: PageRequest,
): Promise<Page<NamespaceRow>> {
  const query = (use: PredicateUse) => order(choose(use)).select('namespaces.id')
  // PostgreSQL compares a row with each value of an array, but hashes those of a sub-query.
  const finding = query(db.engine === 'postgres' ? 'counts' : 'drives')
  return pageOfIds(db, query('tests'), page, (ids) => namespacesByIds(db, ids), finding)
}

async function namespacesByIds(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, NamespaceRow>> {
  const query = db
    .selectFrom('namespaces')
    .selectAll()
    .where(within(db, 'namespaces.id', ids))
  return new Map((await query.execute()).map((row) => [row.id, row]))
}

/** Whether a user has at least this role in a namespace, of its own or inherited. */
export function isReached(
  db: Reader,
  roles: OwnRoles,
  least: number,
  use: PredicateUse = 'drives',
): RawBuilder<boolean> {
  const id = use === 'drives' ? sql.ref('namespaces.id') : unindexed(db, 'namespaces.id')
  return reachesNamespace(db, roles, id, least, use)
}

/** Whether the name or the path of a namespace contains a text. */
export function matchesSearch(search: string): RawBuilder<boolean> {
  return sql<boolean>`${anyContains(['namespaces.name', 'namespaces.path'], search)} ${plannedForValues}`
}

/** Leaves out numbers that are too large for an id; the database refuses them. */
export function possibleIds(ids: readonly number[]): number[] {
  return ids.filter((id) => Number.isSafeInteger(id))
}
