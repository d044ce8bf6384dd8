import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { UserStatusRow } from '../tables.ts'

export async function statusOf(db: Reader, userId: number): Promise<UserStatusRow | null> {
  const query = db.selectFrom('user_statuses').selectAll().where('user_id', '=', userId)
  return (await query.executeTakeFirst()) ?? null
}

/** Replaces the status of a user. */
export async function putStatus(tx: Tx, { user_id, ...status }: UserStatusRow): Promise<void> {
  await tx
    .insertInto('user_statuses')
    .values({ user_id, ...status })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(status))
    .execute()
}
