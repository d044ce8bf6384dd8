import type { Reader } from '../../../infra/database/index.ts'
import { labelsByIds } from '../../labels/index.ts'
import { milestonesByIds } from '../../milestones/index.ts'
import { usersByIds } from '../../users/index.ts'
import { placedLists } from '../lists/facts.ts'
import type { WholeBoard } from '../present.ts'
import type { BoardRow } from '../tables.ts'
import { scopeLabels } from './store.ts'

const given = (ids: readonly (number | null)[]) => ids.filter((id) => id !== null)

/** Boards with their lists and scopes, in a constant number of queries. */
export async function wholeBoards(db: Reader, rows: readonly BoardRow[]): Promise<WholeBoard[]> {
  const ids = rows.map(({ id }) => id)
  const lists = await placedLists(db, ids)
  const scopes = await scopeLabels(db, ids)
  const labelIds = [...scopes.values()].flat().map(({ label_id }) => label_id)
  const labels = await labelsByIds(db, labelIds)
  const milestones = await milestonesByIds(db, given(rows.map(({ milestone_id }) => milestone_id)))
  const users = await usersByIds(db, given(rows.map(({ assignee_id }) => assignee_id)))
  return rows.map((row) => ({
    ...row,
    lists: lists.get(row.id) ?? [],
    labels: (scopes.get(row.id) ?? []).flatMap(({ label_id }) => labels.get(label_id) ?? []),
    milestone: milestones.get(row.milestone_id ?? 0) ?? null,
    assignee: users.get(row.assignee_id ?? 0) ?? null,
  }))
}
