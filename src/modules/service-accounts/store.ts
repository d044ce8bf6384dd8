import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { type Reader, unindexed } from '../../infra/database/index.ts'
import { subtreeOf } from '../namespaces/index.ts'
import type { ProjectOrGroup } from '../projects/index.ts'
import { isPresent, type UserRow } from '../users/index.ts'
import type { AccountOrder } from './params.ts'

/** The project or group that has created accounts. */
export type AccountOwner = Pick<ProjectOrGroup, 'kind' | 'id'>

const accounts = (db: Reader) =>
  db.selectFrom('users').where('bot_kind', '=', 'service_account').where(isPresent('users.id'))

/** The column of the project or group that has created an account. */
export const ownerColumnOf = ({ kind }: Pick<AccountOwner, 'kind'>) =>
  kind === 'group' ? 'provisioned_by_group_id' : 'provisioned_by_project_id'

/** Found by their owners: the index of bots holds those of all. */
const accountsOfOwners = (db: Reader) =>
  db
    .selectFrom('users')
    .where(sql<boolean>`${unindexed(db, 'users.bot_kind')} = 'service_account'`)
    .where(isPresent('users.id'))

/** A page of the service accounts of a project or group, or of all with null. */
export async function pageOfAccounts(
  db: Reader,
  owner: AccountOwner | null,
  { order_by = 'id', sort = 'desc' }: AccountOrder,
  page: PageRequest,
): Promise<Page<UserRow>> {
  const owned = owner === null ? accounts(db) : accountsOfOwners(db).where(ownerColumnOf(owner), '=', owner.id)
  // Names are unique.
  return pageOfRows(db, owned.selectAll().orderBy(order_by, sort), page)
}

/** The number of service accounts of the instance. */
export const countAccounts = (db: Reader): Promise<number> => countOf(accounts(db))

/** The number of service accounts of a project. */
export const countAccountsOf = (db: Reader, projectId: number): Promise<number> =>
  countOf(accountsOfOwners(db).where('provisioned_by_project_id', '=', projectId))

async function countOf(found: ReturnType<typeof accounts>): Promise<number> {
  const query = found.select((eb) => eb.fn.countAll<number>().as('number'))
  return Number((await query.executeTakeFirstOrThrow()).number)
}

/** The service accounts of a group and of the groups below it. */
export async function accountsBelow(db: Reader, groupId: number): Promise<number[]> {
  const query = accountsOfOwners(db).select('id').where('provisioned_by_group_id', 'in', subtreeOf(groupId))
  return (await query.execute()).map(({ id }) => id)
}

/** The service accounts of a project. */
export async function accountsOfProject(db: Reader, projectId: number): Promise<number[]> {
  const query = accountsOfOwners(db).select('id').where('provisioned_by_project_id', '=', projectId)
  return (await query.execute()).map(({ id }) => id)
}
