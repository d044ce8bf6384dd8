import type { SelectQueryBuilder } from 'kysely'
import { maximumTotal, type PageRequest } from '../../api/index.ts'
import type { Reader, Tables } from '../../infra/database/index.ts'
import type { NamespaceRow } from './tables.ts'

/** A choice of namespaces: filtered, not ordered yet. */
export type NamespaceQuery = SelectQueryBuilder<Tables, 'namespaces', object>

/**
 * One page of a choice of namespaces, with the number of all of them up to `maximumTotal`: two queries.
 * @param order puts the rows in order
 */
export async function pageOfNamespaces(
  db: Reader,
  chosen: NamespaceQuery,
  order: (query: NamespaceQuery) => NamespaceQuery,
  page: PageRequest,
): Promise<{ rows: NamespaceRow[]; total: number | undefined }> {
  const counted = chosen.select('namespaces.id').limit(maximumTotal + 1)
  const { count } = await db
    .selectFrom(counted.as('counted'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const offset = page.kind === 'offset' ? page.offset : 0
  const query = order(chosen).selectAll('namespaces').limit(page.limit).offset(offset)
  const rows = count > offset ? ((await query.execute()) as NamespaceRow[]) : []
  return { rows, total: count > maximumTotal ? undefined : count }
}
