import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { type Reader, rows } from '../../infra/database/index.ts'
import { type BroadcastMessageRow, broadcastMessages } from './tables.ts'

export const {
  byId: messageById,
  insert: insertMessage,
  update: updateMessage,
  remove: deleteMessage,
} = rows(broadcastMessages)

/** A page of all messages, the newest first. */
export async function pageOfMessages(db: Reader, page: PageRequest): Promise<Page<BroadcastMessageRow>> {
  return pageOfRows(db, db.selectFrom('broadcast_messages').selectAll().orderBy('id', 'desc'), page)
}

/** The messages that have not ended, the oldest first. */
export async function messagesEndingAfter(db: Reader, moment: string): Promise<BroadcastMessageRow[]> {
  return db.selectFrom('broadcast_messages').selectAll().where('ends_at', '>=', moment).orderBy('id').execute()
}
