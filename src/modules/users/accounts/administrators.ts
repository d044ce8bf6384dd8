import { invalid } from '../../../api/index.ts'
import { acquireLock, type Tx } from '../../../infra/database/index.ts'
import { hasOtherAdministrator } from '../store.ts'
import type { UserRow } from '../tables.ts'

/**
 * Locks all accounts against changes of administrators and removals until the transaction ends. To be called before the
 * account is read, so that the second of two concurrent requests sees the result of the first.
 */
export async function lockAccounts(tx: Tx): Promise<void> {
  await acquireLock(tx, 'users.accounts')
}

/**
 * Requires that the instance has another active administrator than this user (contract 20, x.users_update). Accounts are
 * locked.
 * @throws ApiError 400
 */
export async function requireOtherAdministrator(tx: Tx, user: UserRow): Promise<void> {
  if (user.is_admin && user.state === 'active' && !(await hasOtherAdministrator(tx, user.id))) {
    throw invalid({ admin: ['cannot remove the last administrator'] })
  }
}
