import type { Insertable } from 'kysely'
import { type Reader, type Tables, type Tx, within } from '../../infra/database/index.ts'
import type { SubmissionType } from './tables.ts'

export async function insertUserAgent(tx: Tx, detail: Insertable<Tables['user_agent_details']>): Promise<void> {
  await tx.insertInto('user_agent_details').values(detail).execute()
}

export async function findUserAgent(db: Reader, type: SubmissionType, id: number) {
  const query = db.selectFrom('user_agent_details').selectAll().where('subject_type', '=', type)
  return (await query.where('subject_id', '=', id).executeTakeFirst()) ?? null
}

export async function deleteUserAgents(tx: Tx, type: SubmissionType, ids: readonly number[]): Promise<void> {
  const query = tx.deleteFrom('user_agent_details').where('subject_type', '=', type)
  await query.where(within(tx, 'user_agent_details.subject_id', ids)).execute()
}

export async function insertSpamLog(tx: Tx, entry: Insertable<Tables['spam_logs']>): Promise<number> {
  const { id } = await tx.insertInto('spam_logs').values(entry).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Uses an entry up. @returns false when there is none that this user may still use */
export async function useSpamLog(tx: Tx, entry: { id: number; userId: number; kind: string }): Promise<boolean> {
  const result = await tx
    .updateTable('spam_logs')
    .set({ verified: true })
    .where('id', '=', entry.id)
    .where('user_id', '=', entry.userId)
    .where('kind', '=', entry.kind)
    .where('solvable', '=', true)
    .where('verified', '=', false)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export async function deleteSpamLogsBefore(tx: Tx, before: string): Promise<void> {
  await tx.deleteFrom('spam_logs').where('created_at', '<', before).execute()
}
