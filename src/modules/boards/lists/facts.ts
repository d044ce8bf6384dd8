import type { Reader } from '../../../infra/database/index.ts'
import { iterationsByIds } from '../../iterations/index.ts'
import { labelsByIds } from '../../labels/index.ts'
import { milestonesByIds } from '../../milestones/index.ts'
import { usersByIds } from '../../users/index.ts'
import type { PlacedList } from '../present.ts'
import type { BoardListRow, ListKind } from '../tables.ts'
import { listsOfBoards } from './store/lists.ts'

/** The lists of these boards with their positions and what their issues have, by board, in a constant number of queries. */
export async function placedLists(
  db: Reader,
  boardIds: readonly number[],
): Promise<ReadonlyMap<number, readonly PlacedList[]>> {
  const rows = await listsOfBoards(db, boardIds)
  const named = (kind: ListKind) => rows.map((row) => row[`${kind}_id`]).filter((id) => id !== null)
  const labels = await labelsByIds(db, named('label'))
  const milestones = await milestonesByIds(db, named('milestone'))
  const iterations = await iterationsByIds(db, named('iteration'))
  const users = await usersByIds(db, named('assignee'))
  const placed = (row: BoardListRow, position: number): PlacedList => ({
    ...row,
    position,
    label: labels.get(row.label_id ?? 0) ?? null,
    milestone: milestones.get(row.milestone_id ?? 0) ?? null,
    iteration: iterations.get(row.iteration_id ?? 0) ?? null,
    assignee: users.get(row.assignee_id ?? 0) ?? null,
  })
  const byBoard = Map.groupBy(rows, ({ board_id }) => board_id)
  return new Map([...byBoard].map(([id, lists]) => [id, lists.map(placed)]))
}
