import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../../infra/database/index.ts'
import { subtreeOf } from '../../../namespaces/index.ts'

type Moved = { projectId: number } | { groupId: number }

/** The ids of the boards of a moved project, or of a moved group and all below it. */
function boardsOf(moved: Moved): RawBuilder<unknown> {
  if ('projectId' in moved) return sql`select id from boards where project_id = ${moved.projectId}`
  const groups = subtreeOf(moved.groupId)
  return sql`select id from boards where namespace_id in ${groups}
    union all select id from boards where project_id in (select id from projects where namespace_id in ${groups})`
}

/** Whether the label, milestone or iteration that a column of a row with `board_id` names is out of reach of the board. */
function isLost(table: 'labels' | 'milestones' | 'iterations', column: string, boardId: string): RawBuilder<boolean> {
  const ofProject = table === 'iterations' ? sql`` : sql`target.project_id = board.project_id or`
  return sql<boolean>`(${sql.ref(column)} is not null and not exists (
    select 1 from boards board left join projects on projects.id = board.project_id
      join ${sql.table(table)} target on target.id = ${sql.ref(column)}
    where board.id = ${sql.ref(boardId)} and (${ofProject} target.namespace_id in (select ancestor_id from namespace_ancestors
      where namespace_ancestors.namespace_id = coalesce(board.namespace_id, projects.namespace_id)))))`
}

/**
 * Deletes the lists of moved boards whose label, milestone or iteration can no longer be reached, and takes such labels and
 * milestones off their scopes (contract 25, "Rules shared by the sections").
 */
export async function dropUnreachable(tx: Tx, moved: Moved): Promise<void> {
  const boards = boardsOf(moved)
  const lost = [
    isLost('labels', 'board_lists.label_id', 'board_lists.board_id'),
    isLost('milestones', 'board_lists.milestone_id', 'board_lists.board_id'),
    isLost('iterations', 'board_lists.iteration_id', 'board_lists.board_id'),
  ]
  await sql`delete from board_lists where board_id in (${boards}) and (${sql.join(lost, sql` or `)})`.execute(tx)
  const isLostLabel = isLost('labels', 'board_labels.label_id', 'board_labels.board_id')
  await sql`delete from board_labels where board_id in (${boards}) and ${isLostLabel}`.execute(tx)
  const isLostMilestone = isLost('milestones', 'boards.milestone_id', 'boards.id')
  await sql`update boards set milestone_id = null where id in (${boards}) and ${isLostMilestone}`.execute(tx)
}
