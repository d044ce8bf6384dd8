import { type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { recoveryCodes, type TwoFactorRow } from '../tables.ts'

const { insertAll } = rows(recoveryCodes)

export async function twoFactorOf(db: Reader, userId: number): Promise<TwoFactorRow | null> {
  return (await db.selectFrom('two_factors').selectAll().where('user_id', '=', userId).executeTakeFirst()) ?? null
}

/** Stores the secret of a user in place of the one before. */
export async function putTwoFactor(tx: Tx, row: Omit<TwoFactorRow, 'last_step'>): Promise<void> {
  await removeSecrets(tx, row.user_id)
  await tx.insertInto('two_factors').values(row).execute()
}

/** Uses the code of a time step up. @returns false when it was used before, or a later one was */
export async function useStep(tx: Tx, userId: number, step: number): Promise<boolean> {
  const query = tx.updateTable('two_factors').set({ last_step: step }).where('user_id', '=', userId)
  const unused = query.where((eb) => eb.or([eb('last_step', 'is', null), eb('last_step', '<', step)]))
  return (await unused.executeTakeFirst()).numUpdatedRows > 0n
}

/** Uses a recovery code up. @returns false when there is none with this digest */
export async function useRecoveryCode(tx: Tx, userId: number, digest: string): Promise<boolean> {
  const query = tx.deleteFrom('recovery_codes').where('user_id', '=', userId).where('digest', '=', digest)
  return (await query.executeTakeFirst()).numDeletedRows > 0n
}

/** Stores recovery codes in place of those before. */
export async function putRecoveryCodes(tx: Tx, user_id: number, digests: readonly string[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', user_id).execute()
  await insertAll(
    tx,
    digests.map((digest) => ({ user_id, digest })),
  )
}

async function removeSecrets(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await tx.deleteFrom('two_factors').where('user_id', '=', userId).execute()
}

/** Stores when a second factor was first demanded of a user. */
export async function noteSecondFactorDemand(tx: Tx, userId: number, at: string): Promise<void> {
  const query = tx.updateTable('users').set({ second_factor_demanded_at: at }).where('id', '=', userId)
  await query.where('second_factor_demanded_at', 'is', null).execute()
}

/** Removes the second factors of a user, with the secret and the recovery codes. @returns false when there are none */
export async function disableTwoFactor(tx: Tx, userId: number, updated_at: string): Promise<boolean> {
  // The grace period of a demand begins again.
  const none = { two_factor_enabled: false, second_factor_demanded_at: null, updated_at }
  const query = tx.updateTable('users').set(none).where('id', '=', userId)
  if ((await query.where('two_factor_enabled', '=', true).executeTakeFirst()).numUpdatedRows === 0n) return false
  await removeSecrets(tx, userId)
  return true
}

/** Marks that a user signs in with a second factor. @returns false when there is no such user */
export async function enableTwoFactor(tx: Tx, username: string, updated_at: string): Promise<boolean> {
  const query = tx.updateTable('users').set({ two_factor_enabled: true, updated_at }).where('removed_at', 'is', null)
  const named = query.where((eb) => eb(eb.fn('lower', ['username']), '=', username.toLowerCase()))
  return (await named.executeTakeFirst()).numUpdatedRows > 0n
}
