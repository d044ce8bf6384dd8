import { sql } from 'kysely'
import { type Reader, rows, type Tx, within } from '../../../../infra/database/index.ts'
import { type BoardListRow, boardLists, type ListKind } from '../../tables.ts'

export const { insert: insertList, remove: removeList } = rows(boardLists)

/** The lists of these boards, by board and rank. */
export async function listsOfBoards(db: Reader, boardIds: readonly number[]): Promise<BoardListRow[]> {
  if (boardIds.length === 0) return []
  const query = db
    .selectFrom('board_lists')
    .selectAll()
    .where(within(db, 'board_id', boardIds))
  return query.orderBy('board_id').orderBy('rank').orderBy('id').execute()
}

/** Ranks the lists of a board in this order. @param at ISO time of the change of the list that moves */
export async function rankLists(
  tx: Tx,
  lists: readonly BoardListRow[],
  moved: { id: number; at: string },
): Promise<void> {
  for (const [rank, { id, rank: former }] of lists.entries()) {
    const isMoved = id === moved.id
    if (rank === former && !isMoved) continue
    const changes = isMoved ? { rank, updated_at: moved.at } : { rank }
    await tx.updateTable('board_lists').set(changes).where('id', '=', id).execute()
  }
}

/**
 * Gives the lists for one of these labels or milestones the one that replaces them. A board that has a list for it already
 * keeps that one, and the deletion of the others takes their lists.
 */
export async function replaceTargets(
  tx: Tx,
  kind: Extract<ListKind, 'label' | 'milestone'>,
  ids: readonly number[],
  intoId: number,
): Promise<void> {
  const column = sql.ref(`${kind}_id`)
  const first = sql`select min(id) from board_lists where ${within(tx, `${kind}_id`, ids)} group by board_id`
  await sql`update board_lists set ${column} = ${intoId} where id in (${first})
    and board_id not in (select board_id from board_lists where ${column} = ${intoId})`.execute(tx)
}
