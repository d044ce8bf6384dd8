import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { type Reader, unindexed } from '../../infra/database/index.ts'
import { subtreeOf } from '../namespaces/index.ts'
import { isPresent, type UserRow } from '../users/index.ts'
import type { AccountOrder } from './params.ts'

const accounts = (db: Reader) =>
  db.selectFrom('users').where('bot_kind', '=', 'service_account').where(isPresent('users.id'))

/** Found by their groups: the index of bots holds those of all groups. */
const accountsOfGroups = (db: Reader) =>
  db
    .selectFrom('users')
    .where(sql<boolean>`${unindexed(db, 'users.bot_kind')} = 'service_account'`)
    .where(isPresent('users.id'))

/** A page of the service accounts of a group, or of all with null. */
export async function pageOfAccounts(
  db: Reader,
  groupId: number | null,
  { order_by = 'id', sort = 'desc' }: AccountOrder,
  page: PageRequest,
): Promise<Page<UserRow>> {
  const owned = groupId === null ? accounts(db) : accountsOfGroups(db).where('provisioned_by_group_id', '=', groupId)
  // Names are unique.
  return pageOfRows(db, owned.selectAll().orderBy(order_by, sort), page)
}

/** The number of service accounts of the instance. */
export async function countAccounts(db: Reader): Promise<number> {
  const query = accounts(db).select((eb) => eb.fn.countAll<number>().as('number'))
  return Number((await query.executeTakeFirstOrThrow()).number)
}

/** The service accounts of a group and of the groups below it. */
export async function accountsBelow(db: Reader, groupId: number): Promise<number[]> {
  const query = accountsOfGroups(db).select('id').where('provisioned_by_group_id', 'in', subtreeOf(groupId))
  return (await query.execute()).map(({ id }) => id)
}
