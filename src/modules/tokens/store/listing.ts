import { type OrderByItemBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import {
  contains,
  findsText,
  type Reader,
  sortedBy,
  type Tables,
  type TestUse,
  unindexed,
  within,
} from '../../../infra/database/index.ts'
import { memberColumnOf } from '../../access/index.ts'
import type { TokenFilter } from '../params.ts'
import type { TokenResource } from '../resource/store.ts'
import type { AccessTokenKind, AccessTokenRow } from '../tables.ts'

/** The access tokens that a list is about, before filtering. */
type TokenRange = {
  kinds: readonly AccessTokenKind[]
  userId?: number
  /** Only of this project or group. */
  resource?: TokenResource
}

type Query<Row> = SelectQueryBuilder<Tables, 'access_tokens', Row>

function inRange(db: Reader, range: TokenRange): Query<object> {
  let query: Query<object> = db.selectFrom('access_tokens').where(within(db, 'access_tokens.kind', range.kinds))
  if (range.userId !== undefined) query = query.where('user_id', '=', range.userId)
  if (range.resource) query = query.where(memberColumnOf(range.resource), '=', range.resource.id)
  return query
}

function inState(query: Query<object>, state: TokenFilter['state'], today: string): Query<object> {
  if (state === 'active') {
    const isActive = sql<boolean>`(expires_at is null or expires_at > ${today})`
    return query.where('revoked', '=', false).where(isActive)
  }
  return query.where((eb) => eb.or([eb('revoked', '=', true), eb('expires_at', '<=', today)]))
}

const bounds = [
  ['created_after', 'created_at', '>='],
  ['created_before', 'created_at', '<='],
  ['expires_after', 'expires_at', '>='],
  ['expires_before', 'expires_at', '<='],
  ['last_used_after', 'last_used_at', '>='],
  ['last_used_before', 'last_used_at', '<='],
] as const

function filtered(db: Reader, query: Query<object>, filter: TokenFilter, today: string, use: TestUse): Query<object> {
  let result = query
  if (filter.state) result = inState(result, filter.state, today)
  if (filter.revoked !== undefined) result = result.where('revoked', '=', filter.revoked)
  if (filter.search) result = result.where(contains('access_tokens.name', filter.search))
  for (const [name, column, operator] of bounds) {
    const bound = filter[name]
    const tested = use === 'tests' ? unindexed(db, column) : sql.ref(column)
    if (bound !== undefined) result = result.where(sql<boolean>`${tested} ${sql.raw(operator)} ${bound}`)
  }
  return result
}

const isTimed = (filter: TokenFilter) => bounds.some(([name]) => filter[name] !== undefined)

const columns = { created: 'created_at', expires: 'expires_at', last_used: 'last_used_at', name: 'name' } as const

/** SQLite and PostgreSQL sort nulls differently; here they are last. */
function ordered(db: Reader, query: Query<object>, { sort, ...filter }: TokenFilter, use: TestUse): Query<object> {
  // Else all tokens would be read by their ids, and their times tested.
  const isSorted = use === 'counts' && isTimed(filter)
  if (!sort) return query.orderBy(isSorted ? sortedBy(db, 'id') : sql.ref('id'), 'desc')
  const cut = sort.lastIndexOf('_')
  const column = columns[sort.slice(0, cut) as keyof typeof columns]
  const direction = sort.slice(cut + 1) as 'asc' | 'desc'
  const hasNulls = column === 'expires_at' || column === 'last_used_at'
  const last = (order: OrderByItemBuilder) => order[direction]().nullsLast()
  return query.orderBy(column, hasNulls ? last : direction).orderBy('id', direction)
}

/** A page of access tokens, by default the newest first. */
export async function listAccessTokens(
  db: Reader,
  range: TokenRange,
  filter: TokenFilter,
  { page, today }: { page: PageRequest; today: string },
): Promise<Page<AccessTokenRow>> {
  const ofInstance = range.userId === undefined && range.resource === undefined
  const found = ofInstance && filter.search ? await findsText(db, 'access_tokens', filter.search) : null
  const selected = (use: TestUse) => {
    const all = filtered(db, inRange(db, range), filter, today, use)
    return ordered(db, found ? all.where(found) : all, filter, use).selectAll() as Query<AccessTokenRow>
  }
  const id = isTimed(filter) ? 'access_tokens.id' : undefined
  return pageOfRows(db, selected('tests'), page, selected('counts'), id)
}
