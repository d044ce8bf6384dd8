import type { Tx } from '../../infra/database/index.ts'
import { type Noteable, refersTo } from './noteable.ts'

/** Deletes the notes, discussions, award emoji, subscriptions and to-dos of a noteable that is being deleted. */
export async function deleteNoteable(tx: Tx, noteable: Noteable): Promise<void> {
  const condition = refersTo(noteable)
  const notes = tx
    .selectFrom('notes')
    .select('id')
    .where((where) => where.and(condition))
  await tx.deleteFrom('award_emoji').where('noteable_type', '=', 'Note').where('noteable_id', 'in', notes).execute()
  for (const table of ['todos', 'subscriptions', 'award_emoji', 'notes', 'discussions'] as const) {
    await tx
      .deleteFrom(table)
      .where((where) => where.and(condition))
      .execute()
  }
}
