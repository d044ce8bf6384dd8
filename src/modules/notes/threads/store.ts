import { sql } from 'kysely'
import { locked, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { Noteable } from '../noteable.ts'
import { refersTo } from '../store.ts'
import type { DiscussionRow, NoteRow } from '../tables.ts'

/** The first note of a thread, and how many notes follow it. */
export type Thread = NoteRow & { replies: number }

/**
 * The ids of the threads of a noteable, oldest first.
 * @param discussionId only this thread, also when it is resolved; without it, all that are not
 */
export async function threadIds(db: Reader, noteable: Noteable, discussionId?: string): Promise<number[]> {
  const threads = db
    .selectFrom('discussions')
    .select('id')
    .where(refersTo(noteable))
    .where('individual_note', '=', false)
    .orderBy('created_at')
    .orderBy('id')
  const wanted =
    discussionId === undefined
      ? threads.where('resolved_at', 'is', null)
      : threads.where('public_id', '=', discussionId)
  return (await wanted.execute()).map(({ id }) => id)
}

/** These threads, in this order. */
export async function threadsByIds(db: Reader, ids: readonly number[]): Promise<Thread[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('notes')
    .selectAll()
    .select(sql<number>`(select count(*) from notes r where r.discussion_id = notes.discussion_id) - 1`.as('replies'))
    .where(within(db, 'notes.discussion_id', ids))
    .where(sql<boolean>`notes.id = (select min(f.id) from notes f where f.discussion_id = notes.discussion_id)`)
    .execute()
  const found = new Map(rows.map((row) => [row.discussion_id, { ...row, replies: Number(row.replies) }]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** Locks discussions until the transaction ends, in the order of their ids. */
export async function lockDiscussions(tx: Tx, ids: readonly number[]): Promise<Map<number, DiscussionRow>> {
  if (ids.length === 0) return new Map()
  const query = tx
    .selectFrom('discussions')
    .selectAll()
    .where(within(tx, 'discussions.id', ids))
    .orderBy('id')
  return new Map((await locked(tx, query).execute()).map((row) => [row.id, row]))
}

/** Resolves those of these threads that are open. */
export async function resolveThreads(
  tx: Tx,
  ids: readonly number[],
  { userId, at }: { userId: number; at: string },
): Promise<void> {
  if (ids.length === 0) return
  const open = tx
    .selectFrom('discussions')
    .select('id')
    .where(within(tx, 'discussions.id', ids))
    .where('resolved_at', 'is', null)
    .orderBy('id')
  const held = await locked(tx, open).execute()
  if (held.length === 0) return
  await tx
    .updateTable('discussions')
    .set({ resolved_at: at, resolved_by_id: userId })
    .where(
      within(
        tx,
        'discussions.id',
        held.map(({ id }) => id),
      ),
    )
    .execute()
}
