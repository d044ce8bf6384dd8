import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { anyContains, type Reader, type Tables, within } from '../../../infra/database/index.ts'
import type { NamespaceRow } from '../tables.ts'

/** A selection of namespaces: filtered, not ordered yet. */
export type NamespaceQuery = SelectQueryBuilder<Tables, 'namespaces', object>

/**
 * One page of a selection of namespaces.
 * @param order adds the order
 */
export async function pageOfNamespaces(
  db: Reader,
  chosen: NamespaceQuery,
  order: (query: NamespaceQuery) => NamespaceQuery,
  page: PageRequest,
): Promise<Page<NamespaceRow>> {
  return pageOfRows(db, order(chosen).selectAll('namespaces'), page)
}

/** Whether a namespace is one of these, or lies below one of them. */
export function isAtOrBelow(db: Reader, ids: readonly number[]): RawBuilder<boolean> {
  if (ids.length === 0) return sql<boolean>`(1 = 0)`
  return sql<boolean>`namespaces.id in (select reach.namespace_id from namespace_ancestors reach
    where ${within(db, 'reach.ancestor_id', ids)})`
}

/** Whether the name or the path of a namespace contains a text. */
export function matchesSearch(search: string): RawBuilder<boolean> {
  return anyContains(['namespaces.name', 'namespaces.path'], search)
}

/** Leaves out numbers that are too large for an id; the database refuses them. */
export function possibleIds(ids: readonly number[]): number[] {
  return ids.filter((id) => Number.isSafeInteger(id))
}
