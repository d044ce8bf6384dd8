import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { anyContains, type Reader, unindexed } from '../../../infra/database/index.ts'
import { subtreeOf } from '../../namespaces/index.ts'
import type { UserRow } from '../../users/index.ts'
import type { GroupUserFilter } from './params.ts'

/** A page of the users whom a top-level group manages, by id. */
export function pageOfGroupUsers(
  db: Reader,
  groupId: number,
  { include_saml_users: withSaml, include_service_accounts: withAccounts, search }: GroupUserFilter,
  page: PageRequest,
): Promise<Page<UserRow>> {
  const below = subtreeOf(groupId)
  const isSamlMember = sql<boolean>`(users.id in (select user_id from identities where provider = 'group_saml')
    and exists (select 1 from members m where m.user_id = users.id and m.namespace_id in ${below}))`
  const isAccount = sql<boolean>`(${unindexed(db, 'users.bot_kind')} = 'service_account' and users.provisioned_by_group_id in ${below})`
  const wanted = [...(withSaml ? [isSamlMember] : []), ...(withAccounts ? [isAccount] : [])]
  let query = db.selectFrom('users').selectAll('users').where('users.removed_at', 'is', null)
  query = query.where(wanted.length > 0 ? sql<boolean>`(${sql.join(wanted, sql` or `)})` : sql<boolean>`1 = 0`)
  if (search) query = query.where(anyContains(['users.name', 'users.username', 'users.email'], search))
  return pageOfRows(db, query.orderBy('users.id'), page)
}
