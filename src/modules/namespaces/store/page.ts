import type { SelectQueryBuilder } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import type { Reader, Tables } from '../../../infra/database/index.ts'
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
