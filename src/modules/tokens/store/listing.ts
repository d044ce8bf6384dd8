import { type SelectQueryBuilder, sql } from 'kysely'
import { type Page, type PageRequest, type ParamValues, pageOfRows } from '../../../api/index.ts'
import { contains, type Reader, type Tables, within } from '../../../infra/database/index.ts'
import type { listParams } from '../params.ts'
import type { AccessTokenKind, AccessTokenRow, DeployTokenRow } from '../tables.ts'

/** How a list of access tokens is narrowed and ordered. */
export type TokenFilter = ParamValues<typeof listParams>

/** Which access tokens a list is about, before it is narrowed. */
export type TokenRange = {
  kinds: readonly AccessTokenKind[]
  userId?: number
  projectId?: number
  namespaceId?: number
}

type Query<Row> = SelectQueryBuilder<Tables, 'access_tokens', Row>

function inRange(db: Reader, range: TokenRange): Query<object> {
  let query: Query<object> = db.selectFrom('access_tokens').where(within(db, 'access_tokens.kind', range.kinds))
  if (range.userId !== undefined) query = query.where('user_id', '=', range.userId)
  if (range.projectId !== undefined) query = query.where('project_id', '=', range.projectId)
  if (range.namespaceId !== undefined) query = query.where('namespace_id', '=', range.namespaceId)
  return query
}

function inState(query: Query<object>, state: TokenFilter['state'], today: string): Query<object> {
  if (state === 'active') {
    const lives = sql<boolean>`(expires_at is null or expires_at > ${today})`
    return query.where('revoked', '=', false).where(lives)
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

function narrowed(query: Query<object>, filter: TokenFilter, today: string): Query<object> {
  let result = query
  if (filter.state) result = inState(result, filter.state, today)
  if (filter.revoked !== undefined) result = result.where('revoked', '=', filter.revoked)
  if (filter.search) result = result.where(contains('access_tokens.name', filter.search))
  for (const [name, column, operator] of bounds) {
    const bound = filter[name]
    if (bound !== undefined) result = result.where(column, operator, bound)
  }
  return result
}

const columns = { created: 'created_at', expires: 'expires_at', last_used: 'last_used_at', name: 'name' } as const

/** The engines disagree about where nulls belong; here they come last. */
function ordered(query: Query<object>, sort: TokenFilter['sort']): Query<object> {
  if (!sort) return query.orderBy('id', 'desc')
  const cut = sort.lastIndexOf('_')
  const column = columns[sort.slice(0, cut) as keyof typeof columns]
  const direction = sort.slice(cut + 1) as 'asc' | 'desc'
  const isNull = sql`${sql.ref(column)} is null`
  return query.orderBy(isNull).orderBy(column, direction).orderBy('id', direction)
}

/** A page of access tokens, newest first unless told. */
export async function listAccessTokens(
  db: Reader,
  range: TokenRange,
  filter: TokenFilter,
  { page, today }: { page: PageRequest; today: string },
): Promise<Page<AccessTokenRow>> {
  const filtered = narrowed(inRange(db, range), filter, today)
  return pageOfRows(db, ordered(filtered, filter.sort).selectAll() as Query<AccessTokenRow>, page)
}

/** Which deploy tokens a list is about; all of them where nothing is said. */
export type DeployTokenRange = { projectId?: number; namespaceId?: number; activeAt?: string }

/** A page of deploy tokens by id. */
export async function listDeployTokens(
  db: Reader,
  { projectId, namespaceId, activeAt }: DeployTokenRange,
  page: PageRequest,
): Promise<Page<DeployTokenRow>> {
  type DeployQuery<Row> = SelectQueryBuilder<Tables, 'deploy_tokens', Row>
  let query: DeployQuery<object> = db.selectFrom('deploy_tokens')
  if (projectId !== undefined) query = query.where('project_id', '=', projectId)
  if (namespaceId !== undefined) query = query.where('namespace_id', '=', namespaceId)
  if (activeAt !== undefined) {
    const lives = sql<boolean>`(expires_at is null or expires_at > ${activeAt})`
    query = query.where('revoked', '=', false).where(lives)
  }
  return pageOfRows(db, query.orderBy('id').selectAll() as DeployQuery<DeployTokenRow>, page)
}
