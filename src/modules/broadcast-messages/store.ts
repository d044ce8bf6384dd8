import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { type Reader, rows } from '../../infra/database/index.ts'
import { type BroadcastMessageRow, broadcastMessages } from './tables.ts'

export const {
  byId: messageById,
  insert: insertMessage,
  update: updateMessage,
  remove: deleteMessage,
} = rows(broadcastMessages)

/** A page of the messages, the newest first. @param filter whether they are shown at a moment; all without it */
export async function pageOfMessages(
  db: Reader,
  filter: { active: boolean; moment: string } | null,
  page: PageRequest,
): Promise<Page<BroadcastMessageRow>> {
  const all = db.selectFrom('broadcast_messages').selectAll().orderBy('id', 'desc')
  if (!filter) return pageOfRows(db, all, page)
  const { active, moment } = filter
  const chosen = active
    ? all.where('starts_at', '<=', moment).where('ends_at', '>=', moment)
    : all.where((eb) => eb.or([eb('starts_at', '>', moment), eb('ends_at', '<', moment)]))
  return pageOfRows(db, chosen, page)
}

/** The messages that have not ended, the oldest first. */
export async function messagesEndingAfter(db: Reader, moment: string): Promise<BroadcastMessageRow[]> {
  return db.selectFrom('broadcast_messages').selectAll().where('ends_at', '>=', moment).orderBy('id').execute()
}
