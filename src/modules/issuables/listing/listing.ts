import {
  badRequest,
  cursorFor,
  mutuallyExclusive,
  type Page,
  type PageRequest,
  parameterError,
} from '../../../api/index.ts'
import { type Order, pairsIn } from './params.ts'
import type { ListContext } from './store/filter.ts'
import { behind } from './store/orders.ts'
import { type Cut, type Found, pageOf } from './store/pages.ts'
import type { ListOrder } from './store/parts.ts'
import type { Selection } from './store/selection.ts'

/** How a list is ordered; titles of the filter `labels` do not count for priorities. */
export type Ordering = ListOrder

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
function positionOf(after: readonly unknown[], order: Order): readonly unknown[] {
  const [value, id] = order === 'id' ? [undefined, after[0]] : after
  const isTime = order === 'id' || (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/.test(value))
  if (!isTime || !Number.isSafeInteger(id)) throw badRequest('invalid cursor')
  if (order !== 'id' && Number.isNaN(Date.parse(value as string))) throw badRequest('invalid cursor')
  return after
}

function cutOf(context: ListContext, page: PageRequest, { order, sort, ignoredLabels }: Ordering): Cut {
  if (page.kind === 'keyset') {
    const by = page.orderBy as KeysetOrder
    const after = page.after ? behind(context, by, page.sort, positionOf(page.after, by)) : null
    return { order: by, sort: page.sort, ignoredLabels: [], limit: page.limit, offset: 0, after }
  }
  if (order === 'id') throw parameterError('order_by', 'does not have a valid value')
  return { order, sort, ignoredLabels, limit: page.limit, offset: page.offset, after: null }
}

function nextOf<Row extends ListedRow>(page: PageRequest, { rows, hasNext }: Found<Row>) {
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
  context: ListContext,
  selection: Selection,
  ordering: Ordering,
  page: PageRequest,
): Promise<Page<Row>> {
  const found = await pageOf<Row>(context, selection, cutOf(context, page, ordering))
  const total = page.kind === 'keyset' ? undefined : found.total
  return { items: found.rows, total, hasNext: found.hasNext, next: nextOf(page, found) }
}
