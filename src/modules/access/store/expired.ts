import { sql } from 'kysely'
import { lockClause, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { GroupLinkRow, MemberRow } from '../tables.ts'
import { columnOfTarget, type LinkTarget } from './links.ts'
import { memberColumnOf } from './members.ts'
import type { MemberSource } from './memberships.ts'

/** Bots of projects and groups are members as long as their tokens last, and end with them. */
const endsByItself = sql<boolean>`not exists (select 1 from users u
  where u.id = members.user_id and u.bot_kind in ('project_bot', 'group_bot'))`

/** The ids of memberships that have expired, those that expired first before the others. */
export async function expiredMembershipIds(db: Reader, today: string, limit: number): Promise<number[]> {
  const query = db.selectFrom('members').select('id').where('expires_at', '<=', today).where(endsByItself)
  const rows = await query.orderBy('expires_at').orderBy('id').limit(limit).execute()
  return rows.map(({ id }) => id)
}

/** Those of these memberships that have expired and are still there; no one else can take them in this transaction. */
export async function holdExpired(tx: Tx, ids: readonly number[], today: string): Promise<MemberRow[]> {
  const query = tx
    .selectFrom('members')
    .selectAll()
    .where(within(tx, 'id', ids))
    .where('expires_at', '<=', today)
  return query.orderBy('id').modifyEnd(lockClause(tx)).execute()
}

/** The memberships of these users in a group or project itself that have expired; as `holdExpired`. */
export async function holdExpiredOf(
  tx: Tx,
  source: Pick<MemberSource, 'kind' | 'id'>,
  userIds: readonly number[],
  today: string,
): Promise<MemberRow[]> {
  const query = tx.selectFrom('members').selectAll().where(memberColumnOf(source), '=', source.id)
  const expired = query.where(within(tx, 'user_id', userIds)).where('expires_at', '<=', today)
  return expired.orderBy('id').modifyEnd(lockClause(tx)).execute()
}

/** Invitations of groups to projects, or to groups, that have expired; those that expired first before the others. */
export async function expiredGroupLinks(
  db: Reader,
  to: 'project_id' | 'namespace_id',
  today: string,
  limit: number,
): Promise<GroupLinkRow[]> {
  const query = db.selectFrom('group_links').selectAll().where('expires_at', '<=', today).where(to, 'is not', null)
  return query.orderBy('expires_at').orderBy('id').limit(limit).execute()
}

/** Deletes the invitation of a group if it has expired; of two callers at once one gets true. */
export async function deleteExpiredGroupLink(
  tx: Tx,
  target: LinkTarget,
  groupId: number,
  today: string,
): Promise<boolean> {
  const [column, id] = columnOfTarget(target)
  const query = tx.deleteFrom('group_links').where(column, '=', id).where('group_id', '=', groupId)
  const { numDeletedRows } = await query.where('expires_at', '<=', today).executeTakeFirst()
  return numDeletedRows > 0n
}
