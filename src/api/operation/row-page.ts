import { type SelectQueryBuilder, sql } from 'kysely'
import type { Reader } from '../../infra/database/index.ts'
import { maximumTotal, type Page, type PageRequest } from './pagination.ts'

/** How many rows a query finds, counted no further than just above `maximumTotal`. */
async function countUpTo<DB, TB extends keyof DB, Row>(
  db: Reader,
  query: SelectQueryBuilder<DB, TB, Row>,
): Promise<number> {
  const { frontModifiers, distinctOn } = query.toOperationNode()
  const unordered = query.clearOrderBy()
  // Which rows are distinct depends on their columns; for all others no column has to be read.
  const found: SelectQueryBuilder<DB, TB, unknown> =
    frontModifiers || distinctOn ? unordered : unordered.clearSelect().select(sql`1`.as('one'))
  const { total } = await db
    .selectFrom(found.limit(maximumTotal + 1).as('counted'))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/**
 * One page of what a query finds, in the order that it has, with the number of all rows up to `maximumTotal` (contract 00,
 * "Offset pagination"): two queries, or one when the page lies past the end.
 * @param query with columns and an order that leaves nothing open, without a limit; joins, groupings and `distinct` are
 * fine. It is counted without its order and, unless it is distinct, without its columns: `having` must not name these
 * @param page of a keyset walk only the limit is used: where the walk goes on is a condition of the query, and the
 * values that continue it are for the caller to add
 */
export async function pageOfRows<DB, TB extends keyof DB, Row>(
  db: Reader,
  query: SelectQueryBuilder<DB, TB, Row>,
  page: PageRequest,
): Promise<Page<Row>> {
  const offset = page.kind === 'offset' ? page.offset : 0
  const count = await countUpTo(db, query)
  const isMany = count > maximumTotal
  if (!isMany && offset >= count) return { items: [], total: count, hasNext: false }
  // One row more than the page takes tells whether another page follows.
  const rows = (await query
    .limit(page.limit + 1)
    .offset(offset)
    .execute()) as Row[]
  return { items: rows.slice(0, page.limit), total: isMany ? undefined : count, hasNext: rows.length > page.limit }
}
