import { type SelectQueryBuilder, sql } from 'kysely'
import { isDriven, type Reader } from '../../../infra/database/index.ts'
import { maximumTotal, type Page, type PageRequest } from './pagination.ts'

/** Counts the rows of a query, up to `maximumTotal` + 1. */
async function countUpTo<DB, TB extends keyof DB, Row>(
  db: Reader,
  query: SelectQueryBuilder<DB, TB, Row>,
): Promise<number> {
  const { frontModifiers, distinctOn } = query.toOperationNode()
  const unordered = query.clearOrderBy()
  // The columns decide which rows are distinct; without `distinct` none has to be read.
  const found: SelectQueryBuilder<DB, TB, unknown> =
    frontModifiers || distinctOn ? unordered : unordered.clearSelect().select(sql`1`.as('one'))
  const { total } = await db
    .selectFrom(found.limit(maximumTotal + 1).as('counted'))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** Fewer rows are found and sorted; more are near to each other in the order of a list. */
const few = 500

/** The rows whose ids are on the page that another query finds; the ids are sorted, and not the rows. */
function rowsOfIds<DB, TB extends keyof DB, Row>(
  db: Reader,
  query: SelectQueryBuilder<DB, TB, Row>,
  finding: SelectQueryBuilder<DB, TB, Row>,
  id: string,
  { limit, offset }: { limit: number; offset: number },
): SelectQueryBuilder<DB, TB, Row> {
  const ids = finding.clearSelect().select(sql.ref(id).as('id')).limit(limit).offset(offset)
  // PostgreSQL would join them in a plan for any values, of which it expects one row.
  return query.where(isDriven(db, sql.ref(id), sql`${ids}`))
}

/**
 * Returns one page of a query's rows in its order, with the total up to `maximumTotal` (contract 00, "Offset
 * pagination"). Runs two queries, or one when the page is past the end.
 * @param query columns and a total order, without a limit; joins, groupings and `distinct` are allowed. The count drops
 * the order and, unless the query is distinct, the columns: `having` must not name these
 * @param page of a keyset request only the limit is used: the caller adds the condition for the position and the
 * parameters of the next page
 * @param finding selects the same rows by what restricts them, where `query` reads all rows in their order and tests them. It counts
 * them, and reads them when they are few
 * @param id the column of the ids, where `finding` reads all that it compares from an index: then it finds the pages of up to
 * `maximumTotal` rows
 */
export async function pageOfRows<DB, TB extends keyof DB, Row>(
  db: Reader,
  query: SelectQueryBuilder<DB, TB, Row>,
  page: PageRequest,
  finding: SelectQueryBuilder<DB, TB, Row> = query,
  id?: string,
): Promise<Page<Row>> {
  const offset = page.kind === 'offset' ? page.offset : 0
  const count = await countUpTo(db, finding)
  const isMany = count > maximumTotal
  if (!isMany && offset >= count) return { items: [], total: count, hasNext: false }
  // One row more than the page shows whether another page follows.
  const range = { limit: page.limit + 1, offset }
  const chosen = count > few ? query : finding
  const listed =
    id !== undefined && !isMany
      ? rowsOfIds(db, query, finding, id, range)
      : chosen.limit(range.limit).offset(range.offset)
  const rows = (await listed.execute()) as Row[]
  return { items: rows.slice(0, page.limit), total: isMany ? undefined : count, hasNext: rows.length > page.limit }
}

/**
 * `pageOfRows` of a query that selects ids, for which the rows are read then: so an index alone may count and sort them.
 * @param rowsOf reads the rows with these ids
 */
export async function pageOfIds<DB, TB extends keyof DB, Row>(
  db: Reader,
  ids: SelectQueryBuilder<DB, TB, { id: number }>,
  page: PageRequest,
  rowsOf: (ids: readonly number[]) => Promise<ReadonlyMap<number, Row>>,
  finding: SelectQueryBuilder<DB, TB, { id: number }> = ids,
): Promise<Page<Row>> {
  const found = await pageOfRows(db, ids, page, finding)
  if (found.items.length === 0) return { ...found, items: [] }
  const rows = await rowsOf(found.items.map(({ id }) => id))
  return { ...found, items: found.items.flatMap(({ id }) => rows.get(id) ?? []) }
}
