import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { anyContains, escapeLike, type Reader, type Tx, unindexed } from '../../../infra/database/index.ts'
import type { UserRow } from '../tables.ts'

/** The enterprise users that a list contains. */
export type EnterpriseFilter = {
  username?: string
  search?: string
  active?: boolean
  blocked?: boolean
  created_after?: string
  created_before?: string
  twoFactor?: 'enabled' | 'disabled'
}

/** A page of the enterprise users of a group, the newest first (contract 3.29). */
export async function pageOfEnterpriseUsers(
  db: Reader,
  groupId: number,
  { username, search, active, blocked, created_after: after, created_before: before, twoFactor }: EnterpriseFilter,
  page: PageRequest,
): Promise<Page<UserRow>> {
  let query = db
    .selectFrom('users')
    .selectAll()
    .where('enterprise_group_id', '=', groupId)
    .where('removed_at', 'is', null)
  if (username) query = query.where((eb) => eb(eb.fn('lower', ['username']), '=', username.toLowerCase()))
  if (search) query = query.where(anyContains(['users.name', 'users.username', 'users.email'], search))
  // SQLite finds by the group alone: of all who are active, say, few may be in it.
  const [state, createdAt] = [unindexed(db, 'users.state'), unindexed(db, 'users.created_at')]
  if (active) query = query.where(sql<boolean>`${state} = 'active'`)
  if (blocked) query = query.where(sql<boolean>`${state} in ('blocked', 'ldap_blocked')`)
  if (after) query = query.where(sql<boolean>`${createdAt} >= ${after}`)
  if (before) query = query.where(sql<boolean>`${createdAt} <= ${before}`)
  // Not the bare column: PostgreSQL would read all users with two factors, by their index.
  if (twoFactor)
    query = query.where(sql<boolean>`coalesce(users.two_factor_enabled, false) = ${twoFactor === 'enabled'}`)
  return pageOfRows(db, query.orderBy('id', 'desc'), page)
}

/** Accounts created from this day on need no other tie to the group (contract 13, claim). */
const firstDay = '2021-02-01T00:00:00.000Z'

type Claim = { groupId: number; domain: string; at: string; userId?: number }

/**
 * Makes the people whose confirmed address is in a domain enterprise users of the group that has verified it (contract 13,
 * "Becoming an enterprise user").
 * @param claim with `userId`, only this user
 */
export async function claimUsers(tx: Tx, { groupId, domain, at, userId }: Claim): Promise<void> {
  const inDomain = sql<boolean>`lower(users.email) like ${`%@${escapeLike(domain)}`} escape '\\'`
  const isTied = sql<boolean>`(users.created_at >= ${firstDay} or users.provisioned_by_group_id = ${groupId}
    or exists (select 1 from members m where m.user_id = users.id and m.namespace_id = ${groupId}))`
  let query = tx
    .updateTable('users')
    .set({ enterprise_group_id: groupId, enterprise_group_associated_at: at })
    .where('bot_kind', 'is', null)
    .where('removed_at', 'is', null)
    .where('confirmed_at', 'is not', null)
    .where((eb) => eb.or([eb('enterprise_group_id', 'is', null), eb('enterprise_group_id', '<>', groupId)]))
    .where(inDomain)
    .where(isTied)
  if (userId !== undefined) query = query.where('id', '=', userId)
  await query.execute()
}

/** Ends that a user is an enterprise user. */
export async function releaseUser(tx: Tx, userId: number): Promise<void> {
  const nothing = { enterprise_group_id: null, enterprise_group_associated_at: null }
  await tx.updateTable('users').set(nothing).where('id', '=', userId).execute()
}
