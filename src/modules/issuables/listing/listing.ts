import {
  badRequest,
  cursorFor,
  mutuallyExclusive,
  type Page,
  type PageRequest,
  parameterError,
} from '../../../api/index.ts'
import { type ListPage, type ListQuery, readPage, type Slice } from '../../../infra/database/index.ts'
import type { IssuableContext } from './context.ts'
import { type OrderName, pairsIn } from './params.ts'
import { behind, type Ordering, orderOf } from './store/orders.ts'

/** Orders by which keyset pages continue. */
type KeysetOrder = 'created_at' | 'updated_at' | 'id'

/** A row of a list, with the values of keyset pages. */
type ListedRow = { id: number; created_at: string; updated_at: string }

/**
 * Refuses filters that exclude each other, also in the hash `not`.
 * @throws ApiError 400
 */
export function requireCompatible(params: Readonly<Record<string, unknown>>): void {
  const inner = (params.not ?? {}) as Record<string, unknown>
  const [pair] = [...pairsIn(params), ...pairsIn(inner, (name) => `not[${name}]`)]
  if (pair) throw mutuallyExclusive(pair)
}

/** The position of a cursor. @throws ApiError 400 when it does not belong to the order */
function positionOf(after: readonly unknown[], order: OrderName): readonly unknown[] {
  const [value, id] = order === 'id' ? [undefined, after[0]] : after
  const isTime = order === 'id' || (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/.test(value))
  if (!isTime || !Number.isSafeInteger(id)) throw badRequest('invalid cursor')
  if (order !== 'id' && Number.isNaN(Date.parse(value as string))) throw badRequest('invalid cursor')
  return after
}

function sliceOf(context: IssuableContext, page: PageRequest, ordering: Ordering): Slice {
  if (page.kind === 'keyset') {
    const by = { order: page.orderBy as KeysetOrder, sort: page.sort, ignoredLabels: [] }
    const after = page.after ? behind(context, by, positionOf(page.after, by.order)) : null
    return { order: orderOf(context, by), limit: page.limit, offset: 0, after }
  }
  if (ordering.order === 'id') throw parameterError('order_by', 'does not have a valid value')
  return { order: orderOf(context, ordering), limit: page.limit, offset: page.offset, after: null }
}

function nextOf<Row extends ListedRow>(page: PageRequest, { rows, hasNext }: ListPage<Row>) {
  const last = rows.at(-1)
  if (page.kind !== 'keyset' || !hasNext || !last) return undefined
  if (page.orderBy === 'id') return { [page.sort === 'asc' ? 'id_after' : 'id_before']: String(last.id) }
  return { cursor: cursorFor([last[page.orderBy as 'created_at' | 'updated_at'], last.id]) }
}

/**
 * A page of issuables.
 * @throws ApiError 400 for a cursor of another order, and for `order_by=id` without keyset pages
 */
export async function pageOfIssuables<Row extends ListedRow>(
  context: IssuableContext,
  query: ListQuery,
  ordering: Ordering,
  page: PageRequest,
): Promise<Page<Row>> {
  const found = await readPage<Row>(context, query, sliceOf(context, page, ordering))
  const total = page.kind === 'keyset' ? undefined : found.total
  return { items: found.rows, total, hasNext: found.hasNext, next: nextOf(page, found) }
}
