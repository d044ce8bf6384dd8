import type { SelectQueryBuilder } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import type { Reader, Tables } from '../../../infra/database/index.ts'
import type { NamespaceRow } from '../tables.ts'

/** A choice of namespaces: filtered, not ordered yet. */
export type NamespaceQuery = SelectQueryBuilder<Tables, 'namespaces', object>

/**
 * One page of a choice of namespaces.
 * @param order puts the rows in order
 */
export async function pageOfNamespaces(
  db: Reader,
  chosen: NamespaceQuery,
  order: (query: NamespaceQuery) => NamespaceQuery,
  page: PageRequest,
): Promise<Page<NamespaceRow>> {
  return pageOfRows(db, order(chosen).selectAll('namespaces'), page)
}
