import type { Tx } from '../../../infra/database/index.ts'

/** Removes the second factors of a user. @returns false when there are none */
export async function disableTwoFactor(tx: Tx, userId: number, updated_at: string): Promise<boolean> {
  const query = tx.updateTable('users').set({ two_factor_enabled: false, updated_at }).where('id', '=', userId)
  return (await query.where('two_factor_enabled', '=', true).executeTakeFirst()).numUpdatedRows > 0n
}

/** Marks that a user signs in with a second factor. @returns false when there is no such user */
export async function enableTwoFactor(tx: Tx, username: string, updated_at: string): Promise<boolean> {
  const query = tx.updateTable('users').set({ two_factor_enabled: true, updated_at }).where('removed_at', 'is', null)
  const named = query.where((eb) => eb(eb.fn('lower', ['username']), '=', username.toLowerCase()))
  return (await named.executeTakeFirst()).numUpdatedRows > 0n
}
