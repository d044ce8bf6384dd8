import {
  badRequest,
  cursorFor,
  type KeysetRequest,
  type Page,
  type PageRequest,
  parseDateTime,
} from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { UserRow } from '../tables.ts'
import { pageByOffset, type SortColumn, type UserFilter, usersBehind, walkColumns } from './store/list.ts'

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

async function keysetPage(db: Reader, filter: UserFilter, page: KeysetRequest): Promise<Page<UserRow>> {
  const after = page.after ? cursorValuesOf(page.after, filter.orderBy) : null
  const rows = await usersBehind(db, filter, after, page.limit + 1)
  const items = rows.slice(0, page.limit)
  const last = items.at(-1)
  if (rows.length <= page.limit || !last) return { items }
  return { items, next: { cursor: cursorFor(walkColumns(filter.orderBy).map((column) => last[column])) } }
}

/** A page of the users that match a filter. Exact matches of a search come first. */
export async function pageOfUsers(db: Reader, filter: UserFilter, page: PageRequest): Promise<Page<UserRow>> {
  return page.kind === 'keyset' ? keysetPage(db, filter, page) : pageByOffset(db, filter, page)
}
