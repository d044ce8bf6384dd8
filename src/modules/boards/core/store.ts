import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfIds } from '../../../api/index.ts'
import { countRows, type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { belongsTo, type ProjectOrGroupRef } from '../../projects/index.ts'
import { type BoardRow, boards } from '../tables.ts'

export const {
  byIds: boardsByIds,
  insert: insertBoard,
  update: updateBoardRow,
  remove: removeBoard,
  portions: portionsOfBoards,
} = rows(boards)

/** A project or group, as far as its boards are concerned. */
export type Parent = Pick<ProjectOrGroupRef, 'kind' | 'id'>

/** The project or group of a board in the columns of its row. */
export const parentColumns = ({ kind, id }: Parent) => ({
  project_id: kind === 'project' ? id : null,
  namespace_id: kind === 'group' ? id : null,
})

/** A board of this project or group. */
export async function ownBoard(db: Reader, parent: Parent, id: number): Promise<BoardRow | null> {
  const query = db.selectFrom('boards').selectAll().where('boards.id', '=', id).where(belongsTo('boards', parent))
  return (await query.executeTakeFirst()) ?? null
}

/** A page of the boards of a project or group, by id. */
export function pageOfBoards(db: Reader, parent: Parent, page: PageRequest): Promise<Page<BoardRow>> {
  const query = db.selectFrom('boards').select('boards.id').where(belongsTo('boards', parent)).orderBy('boards.id')
  return pageOfIds(db, query, page, (ids) => boardsByIds(db, ids))
}

/** The number of boards of a project or group. */
export function countBoards(db: Reader, parent: Parent): Promise<number> {
  return countRows(db.selectFrom('boards').where(belongsTo('boards', parent)))
}

/** The labels in the scopes of these boards, by board. */
export async function scopeLabels(
  db: Reader,
  boardIds: readonly number[],
): Promise<ReadonlyMap<number, { label_id: number }[]>> {
  if (boardIds.length === 0) return new Map()
  const query = db
    .selectFrom('board_labels')
    .selectAll()
    .where(within(db, 'board_id', boardIds))
  const found = await query.orderBy('board_id').orderBy('label_id').execute()
  return Map.groupBy(found, ({ board_id }) => board_id)
}

/** Replaces the labels in the scope of a board. */
export async function setScopeLabels(tx: Tx, board_id: number, labelIds: readonly number[]): Promise<void> {
  await tx.deleteFrom('board_labels').where('board_id', '=', board_id).execute()
  const values = labelIds.map((label_id) => ({ board_id, label_id }))
  if (values.length > 0) await tx.insertInto('board_labels').values(values).execute()
}

/** Gives the scopes with one of these labels the label that replaces them. */
export async function replaceScopeLabels(tx: Tx, labelIds: readonly number[], intoId: number): Promise<void> {
  await tx
    .insertInto('board_labels')
    .columns(['board_id', 'label_id'])
    .expression((eb) =>
      eb
        .selectFrom('board_labels')
        .select(['board_id', sql<number>`cast(${intoId} as bigint)`.as('label_id')])
        .distinct()
        .where(within(tx, 'label_id', labelIds)),
    )
    .onConflict((conflict) => conflict.columns(['board_id', 'label_id']).doNothing())
    .execute()
}

/** Gives the scopes with one of these milestones the milestone that replaces them. */
export async function replaceScopeMilestone(tx: Tx, milestoneIds: readonly number[], intoId: number): Promise<void> {
  await tx
    .updateTable('boards')
    .set({ milestone_id: intoId })
    .where(within(tx, 'milestone_id', milestoneIds))
    .execute()
}
