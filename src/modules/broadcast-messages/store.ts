import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import type { Reader, Tx } from '../../infra/database/index.ts'
import type { BroadcastMessageChanges, BroadcastMessageRow, NewBroadcastMessage } from './tables.ts'

/** A page of all messages, the newest first. */
export async function pageOfMessages(db: Reader, page: PageRequest): Promise<Page<BroadcastMessageRow>> {
  return pageOfRows(db, db.selectFrom('broadcast_messages').selectAll().orderBy('id', 'desc'), page)
}

export async function messageById(db: Reader, id: number): Promise<BroadcastMessageRow | null> {
  return (await db.selectFrom('broadcast_messages').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** The messages that have not ended, the oldest first. */
export async function messagesEndingAfter(db: Reader, moment: string): Promise<BroadcastMessageRow[]> {
  return db.selectFrom('broadcast_messages').selectAll().where('ends_at', '>=', moment).orderBy('id').execute()
}

export async function insertMessage(tx: Tx, message: NewBroadcastMessage): Promise<BroadcastMessageRow> {
  return tx.insertInto('broadcast_messages').values(message).returningAll().executeTakeFirstOrThrow()
}

/** Changes a message. @returns null when it was deleted meanwhile */
export async function updateMessage(
  tx: Tx,
  id: number,
  changes: BroadcastMessageChanges,
): Promise<BroadcastMessageRow | null> {
  const query = tx.updateTable('broadcast_messages').set(changes).where('id', '=', id)
  return (await query.returningAll().executeTakeFirst()) ?? null
}

export async function deleteMessage(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('broadcast_messages').where('id', '=', id).execute()
}
