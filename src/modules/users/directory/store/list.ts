import { type RawBuilder, sql } from 'kysely'
import { badRequest, cursorFor, type Page, type PageRequest, parseDateTime } from '../../../../api/index.ts'
import {
  type Condition,
  type Order,
  type Predicate,
  predicatesOf,
  readPage,
  type Slice,
  walkById,
  walkColumn,
} from '../../../../infra/database/index.ts'
import { isPresent } from '../../store.ts'
import type { UserRow } from '../../tables.ts'
import type { UserFilterParams } from '../params.ts'
import { administratorFilters, isExactly, type UserContext, userFilters } from './filters.ts'
import { isNotInternal, type SortColumn } from './flags.ts'
import { sharesMembershipWith } from './visibility.ts'

/** Whom a list is for: administrators see all users, external users those with whom they share a membership. */
export type Reader = 'administrator' | 'anyone' | { externalUserId: number; today: string }

/** The users that the reader sees. Blocked and internal accounts are visible to administrators only (contract 20 R9). */
function seenBy(context: UserContext, reader: Reader): Predicate[] {
  const present = { holds: isPresent('users.id') }
  if (reader === 'administrator') return [present]
  const common = [present, { holds: sql<boolean>`users.state = 'active'` }, isNotInternal(context)]
  if (reader === 'anyone') return common
  return [...common, { holds: sharesMembershipWith(reader.externalUserId, reader.today) }]
}

/** The values of a cursor. @throws ApiError 400 when they cannot be compared with the columns */
function cursorValuesOf(after: readonly unknown[], orderBy: SortColumn): (string | number)[] {
  const id = after.at(-1)
  const value = after[0]
  const isId = typeof id === 'number' && Number.isSafeInteger(id)
  if (orderBy === 'id') {
    if (isId && after.length === 1) return [id]
  } else if (isId && after.length === 2 && typeof value === 'string' && !value.includes('\u0000')) {
    const isDate = orderBy === 'created_at' || orderBy === 'updated_at'
    if (!isDate || parseDateTime(value) !== null) return [value, id]
  }
  throw badRequest('invalid cursor')
}

/** The columns that order a list. */
const orderColumns = (orderBy: SortColumn) => (orderBy === 'id' ? (['id'] as const) : ([orderBy, 'id'] as const))

type Ordering = { orderBy: SortColumn; sort: 'asc' | 'desc' }

/** The rows after the last one of the previous keyset page. */
function behind(after: readonly unknown[], { orderBy, sort }: Ordering): Condition {
  const columns = sql.join(orderColumns(orderBy).map((column) => sql.ref(`users.${column}`)))
  return sql<boolean>`(${columns}) ${sql.raw(sort === 'asc' ? '>' : '<')} (${sql.join(cursorValuesOf(after, orderBy))})`
}

const orderOf = (context: UserContext, { orderBy, sort }: Ordering): Order =>
  (orderBy === 'id' ? walkById : walkColumn(orderBy))(context, sort)

/** The order of a search: exact matches first. */
function exactFirst(term: string, context: UserContext, { orderBy, sort }: Ordering): Order {
  const isExact = isExactly(term, context.isAdministrator)
  const rank: RawBuilder<unknown> = sql`case when ${isExact} then ${sql.lit(sort === 'asc' ? 0 : 1)}
    else ${sql.lit(sort === 'asc' ? 1 : 0)} end`
  const column = orderBy === 'id' ? [] : [sql.ref(`users.${orderBy}`)]
  return { keys: [rank, ...column], towards: sql.raw(sort), idDirection: sort, segments: [] }
}

function sliceOf(context: UserContext, params: UserFilterParams, ordering: Ordering, page: PageRequest): Slice {
  const { limit } = page
  if (page.kind === 'keyset') {
    return {
      order: orderOf(context, ordering),
      limit,
      offset: 0,
      after: page.after ? behind(page.after, ordering) : null,
    }
  }
  const { search } = params
  const order = search ? exactFirst(search, context, ordering) : orderOf(context, ordering)
  return { order, limit, offset: page.offset, after: null }
}

/** A page of the users that match a filter. Exact matches of a search come first. @throws ApiError 400 */
export async function pageOfUsers(
  db: UserContext['db'],
  params: UserFilterParams,
  reader: Reader,
  page: PageRequest,
): Promise<Page<UserRow>> {
  const isAdministrator = reader === 'administrator'
  const context: UserContext = { db, table: 'users', isAdministrator }
  const ordering: Ordering = { orderBy: (isAdministrator && params.order_by) || 'id', sort: params.sort ?? 'desc' }
  const predicates = [
    ...seenBy(context, reader),
    ...predicatesOf(userFilters, context, params),
    ...(isAdministrator ? predicatesOf(administratorFilters, context, params) : []),
  ]
  const query = { predicates, lookUps: [], scope: null }
  const { rows, hasNext, total } = await readPage<UserRow>(context, query, sliceOf(context, params, ordering, page))
  if (page.kind === 'offset') return { items: rows, hasNext, total }
  const last = rows.at(-1)
  if (!hasNext || !last) return { items: rows }
  return { items: rows, next: { cursor: cursorFor(orderColumns(ordering.orderBy).map((column) => last[column])) } }
}
