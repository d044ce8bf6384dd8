import { now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Noteable } from '../noteable.ts'
import { isSubscribed, setSubscribed } from './store.ts'

/** Subscribes a user to a noteable (contract 16, x.issue_subscribe). @returns false when they were subscribed already */
export async function subscribe({ clock }: Platform, tx: Tx, noteable: Noteable, userId: number): Promise<boolean> {
  return setSubscribed(tx, noteable, userId, true, now(clock))
}

/** Unsubscribes a user from a noteable (contract 16, x.issue_unsubscribe). @returns false when they were not subscribed */
export async function unsubscribe({ clock }: Platform, tx: Tx, noteable: Noteable, userId: number): Promise<boolean> {
  if (!(await isSubscribed(tx, noteable, userId))) return false
  return setSubscribed(tx, noteable, userId, false, now(clock))
}
