import { sql } from 'kysely'
import type { Page, PageRequest } from '../../../api/index.ts'
import { contains, findsText, type Reader, within } from '../../../infra/database/index.ts'
import type { OwnRoles } from '../../access/index.ts'
import type { NamespaceRow } from '../tables.ts'
import { isReached, matchesSearch, type NamespaceQuery, pageOfNamespaces } from './selection.ts'

type WantedNamespaces = {
  /** Only those in which the caller has at least a role; null for all. */
  reached: { roles: OwnRoles; least: number } | null
  topLevelOnly: boolean
  /** Part of the name or the path; of the full path when that is searched. */
  search?: string
  searchesFullPath: boolean
}

/** A page of namespaces, the personal ones first, then by id. */
export async function pageOfMatching(
  db: Reader,
  { reached, topLevelOnly, search, searchesFullPath }: WantedNamespaces,
  page: PageRequest,
): Promise<Page<NamespaceRow>> {
  let chosen: NamespaceQuery = db.selectFrom('namespaces').where('pending_delete', '=', false)
  if (topLevelOnly) chosen = chosen.where('parent_id', 'is', null)
  if (search) {
    const found = await findsText(db, 'namespaces', search)
    if (found) chosen = chosen.where(found)
    chosen = chosen.where(searchesFullPath ? contains('namespaces.full_path', search) : matchesSearch(search))
  }
  const order = (query: NamespaceQuery) =>
    query.orderBy(sql`case when kind = 'user' then 0 else 1 end`).orderBy('namespaces.id')
  // The personal namespaces of all others come before the caller's groups, so these are found instead of read in order.
  if (reached) chosen = chosen.where(isReached(db, reached.roles, reached.least))
  return pageOfNamespaces(db, () => chosen, order, page)
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
