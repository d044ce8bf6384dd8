import { sql } from 'kysely'
import type { Page, PageRequest } from '../../../api/index.ts'
import {
  type FilterAmong,
  type Filters,
  type ListContext,
  type Order,
  predicatesOf,
  type Reader,
  readPage,
  within,
} from '../../../infra/database/index.ts'
import type { OwnRoles } from '../../access/index.ts'
import type { NamespaceFilter } from '../params.ts'
import type { NamespaceRow } from '../tables.ts'
import { kindRank, named, reachedBy, topLevelOnly } from './selection.ts'

const search: FilterAmong<ListContext, string, NamespaceFilter> = (context, text, { full_path_search: inFullPath }) =>
  named(context, text, inFullPath ? ['full_path'] : undefined)

const filters: Filters<ListContext, NamespaceFilter> = { top_level_only: topLevelOnly, search }

/** The namespaces in which a user has at least a role. */
type Reached = { userId: number; roles: OwnRoles; least: number }

/** The personal namespaces first, then by id. Those that a user reaches have one personal one. */
function orderOf(reached: Reached | null): Order {
  const orderBy = sql`namespaces.id asc`
  const isOwn = reached && sql<boolean>`namespaces.owner_id = ${reached.userId}`
  return {
    keys: [kindRank],
    towards: sql`asc`,
    idDirection: 'asc',
    ...(!reached && { walked: { key: sql.ref('namespaces.id'), direction: 'asc' } }),
    segments: [
      { holds: isOwn ?? sql<boolean>`${kindRank} = 0`, orderBy },
      { holds: sql<boolean>`${kindRank} = 1`, orderBy },
    ],
  }
}

/**
 * A page of the namespaces that match the filters.
 * @param reached only these; null for all
 */
export async function pageOfMatching(
  db: Reader,
  filter: NamespaceFilter,
  reached: Reached | null,
  page: PageRequest,
): Promise<Page<NamespaceRow>> {
  const context: ListContext = { db, table: 'namespaces' }
  const predicates = [
    { holds: sql<boolean>`namespaces.pending_delete = false` },
    ...(reached ? [reachedBy(context, reached.roles, reached.least)] : []),
    ...predicatesOf(filters, context, filter),
  ]
  const offset = page.kind === 'offset' ? page.offset : 0
  const slice = { order: orderOf(reached), limit: page.limit, offset, after: null }
  const { rows, ...found } = await readPage<NamespaceRow>(context, { predicates, lookUps: [], scope: null }, slice)
  return { ...found, items: rows }
}

/** The avatars of these users, by user id. */
export async function avatarsOfUsers(db: Reader, userIds: readonly number[]): Promise<Map<number, string | null>> {
  if (userIds.length === 0) return new Map()
  const users = await db
    .selectFrom('users')
    .select(['id', 'avatar'])
    .where(within(db, 'users.id', userIds))
    .execute()
  return new Map(users.map(({ id, avatar }) => [id, avatar]))
}
