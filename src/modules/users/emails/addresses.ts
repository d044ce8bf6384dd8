import type { Reader } from '../../../infra/database/index.ts'
import { userById } from '../store.ts'
import { confirmedEmailsOf } from './store.ts'

/** All confirmed addresses of a user, in lower case; none of a user who is gone. */
export async function confirmedAddressesOf(db: Reader, userId: number): Promise<string[]> {
  const user = await userById(db, userId)
  if (!user) return []
  const primary = user.confirmed_at === null ? [] : [user.email.toLowerCase()]
  return [...primary, ...(await confirmedEmailsOf(db, user.id))]
}
