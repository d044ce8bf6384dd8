import { type Reader, type Tx, within } from '../../../infra/database/index.ts'

/** The labels of these to which a user is subscribed. */
export async function subscribedLabels(db: Reader, userId: number, labelIds: readonly number[]): Promise<Set<number>> {
  if (labelIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('label_subscriptions')
    .select('label_id')
    .where('user_id', '=', userId)
    .where(within(db, 'label_id', labelIds))
    .execute()
  return new Set(rows.map(({ label_id }) => label_id))
}

/** The users who are subscribed to one of these labels. */
export async function subscribersOfLabels(db: Reader, labelIds: readonly number[]): Promise<number[]> {
  if (labelIds.length === 0) return []
  const query = db.selectFrom('label_subscriptions').select('user_id').distinct().orderBy('user_id')
  return (await query.where(within(db, 'label_id', labelIds)).execute()).map(({ user_id }) => user_id)
}

/** @returns false when the user was subscribed already */
export async function insertSubscription(tx: Tx, labelId: number, userId: number, at: string): Promise<boolean> {
  const inserted = await tx
    .insertInto('label_subscriptions')
    .values({ label_id: labelId, user_id: userId, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .returning('label_id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** @returns false when the user was not subscribed */
export async function deleteSubscription(tx: Tx, labelId: number, userId: number): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('label_subscriptions')
    .where('label_id', '=', labelId)
    .where('user_id', '=', userId)
    .returning('label_id')
    .executeTakeFirst()
  return deleted !== undefined
}
