import type { Reader, Tx } from '../../infra/database/index.ts'
import type { SupportPinRow } from './tables.ts'

/** The PIN of a user that is valid at a moment; null without one. */
export async function validPin(db: Reader, userId: number, moment: string): Promise<SupportPinRow | null> {
  const query = db.selectFrom('support_pins').selectAll().where('user_id', '=', userId)
  return (await query.where('expires_at', '>', moment).executeTakeFirst()) ?? null
}

/** Stores the PIN of a user in place of the one before. */
export async function putPin(tx: Tx, { user_id, ...pin }: SupportPinRow): Promise<void> {
  const insert = tx.insertInto('support_pins').values({ user_id, ...pin })
  await insert.onConflict((conflict) => conflict.column('user_id').doUpdateSet(pin)).execute()
}

/** Deletes the PIN of a user that is valid at a moment. @returns whether there was one */
export async function deletePin(tx: Tx, userId: number, moment: string): Promise<boolean> {
  const query = tx.deleteFrom('support_pins').where('user_id', '=', userId).where('expires_at', '>', moment)
  return (await query.executeTakeFirst()).numDeletedRows > 0n
}
