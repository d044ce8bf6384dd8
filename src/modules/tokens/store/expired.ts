import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../infra/database/index.ts'

/** Tokens that have expired and are not recorded as such, without parameters in what the index needs. */
const isUnrecorded = (today: string) =>
  sql<boolean>`revoked = false and expiry_recorded = false and expires_at <= ${today}`

/** Whether there is such a token. */
export const anyExpired = (today: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from access_tokens where ${isUnrecorded(today)})`

/** Marks at most this many of them. Of two processes at once, each token is returned to one. */
export function recordExpired(tx: Tx, today: string, limit: number): Promise<{ id: number; user_id: number }[]> {
  const some = tx.selectFrom('access_tokens').select('id').where(isUnrecorded(today))
  return tx
    .updateTable('access_tokens')
    .set({ expiry_recorded: true })
    .where('id', 'in', some.orderBy('expires_at').orderBy('id').limit(limit))
    .where('expiry_recorded', '=', false)
    .returning(['id', 'user_id'])
    .execute()
}
