import { now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { columnsOf, keyOf, type Noteable } from '../noteable.ts'
import { refersTo } from '../store.ts'

/** Whether a user is subscribed to a noteable. */
export async function isSubscribed(db: Reader, noteable: Noteable, userId: number): Promise<boolean> {
  const query = db.selectFrom('subscriptions').select('subscribed').where('user_id', '=', userId)
  return (await query.where(refersTo(noteable)).executeTakeFirst())?.subscribed ?? false
}

function insertion(tx: Tx, noteable: Noteable, userId: number, subscribed: boolean, at: string) {
  const times = { created_at: at, updated_at: at }
  return tx.insertInto('subscriptions').values({ ...columnsOf(noteable), user_id: userId, subscribed, ...times })
}

/** Sets whether a user is subscribed. @returns whether that was a change */
async function setSubscribed(tx: Tx, noteable: Noteable, userId: number, subscribed: boolean, at: string) {
  const changed = await insertion(tx, noteable, userId, subscribed, at)
    .onConflict((conflict) =>
      conflict
        .columns([...keyOf(noteable), 'user_id'])
        .where(noteable.commitId === null ? 'noteable_id' : 'commit_id', 'is not', null)
        .doUpdateSet({ subscribed, updated_at: at })
        .where('subscriptions.subscribed', '<>', subscribed),
    )
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

/** Subscribes a user to a noteable (contract 16, x.issue_subscribe). @returns false when they were subscribed already */
export async function subscribe({ clock }: Platform, tx: Tx, noteable: Noteable, userId: number): Promise<boolean> {
  return setSubscribed(tx, noteable, userId, true, now(clock))
}

/** Unsubscribes a user from a noteable (contract 16, x.issue_unsubscribe). @returns false when they were not subscribed */
export async function unsubscribe({ clock }: Platform, tx: Tx, noteable: Noteable, userId: number): Promise<boolean> {
  if (!(await isSubscribed(tx, noteable, userId))) return false
  return setSubscribed(tx, noteable, userId, false, now(clock))
}

/** Records that a user wants no mails about a noteable, whether or not they were subscribed. */
export async function refuseSubscription(
  { clock }: Platform,
  tx: Tx,
  noteable: Noteable,
  userId: number,
): Promise<void> {
  await setSubscribed(tx, noteable, userId, false, now(clock))
}

/** Subscribes a user who takes part, unless they have unsubscribed. */
export async function subscribeParticipant(tx: Tx, noteable: Noteable, userId: number, at: string): Promise<void> {
  await insertion(tx, noteable, userId, true, at)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The users who are subscribed to a noteable. */
export async function subscribersOf(db: Reader, noteable: Noteable): Promise<number[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('user_id')
    .where(refersTo(noteable))
    .where('subscribed', '=', true)
    .orderBy('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}
