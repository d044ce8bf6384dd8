import { acquireLock, type Tx } from '../../../infra/database/index.ts'
import { userByEmail } from '../store.ts'
import { deleteEmail, emailByAddress } from './store.ts'

/** Primary and secondary addresses are in two tables, so no unique index covers both: each address has a lock. */
async function lockAddress(tx: Tx, email: string): Promise<void> {
  await acquireLock(tx, `users.address.${email.toLowerCase()}`)
}

/**
 * Reserves a primary address for a user until the transaction ends. A secondary address of that user becomes the primary one.
 * @param userId null for a new user
 * @returns false when it is the secondary address of another user
 */
export async function claimPrimary(tx: Tx, email: string, userId: number | null): Promise<boolean> {
  await lockAddress(tx, email)
  const secondary = await emailByAddress(tx, email)
  if (!secondary) return true
  return secondary.user_id === userId && (await deleteEmail(tx, secondary.id))
}

/** Reserves a secondary address until the transaction ends. @returns false when a user has it already */
export async function claimSecondary(tx: Tx, email: string): Promise<boolean> {
  await lockAddress(tx, email)
  return (await userByEmail(tx, email)) === null && (await emailByAddress(tx, email)) === null
}
