import { hasTier } from '../../../config.ts'
import type { ExportedLine, ExportedLines } from '../../../platform/index.ts'
import { exportedIterationsByIds } from '../../iterations/index.ts'
import { exportedLabelsOf } from '../../labels/index.ts'
import { exportedMilestonesByIds } from '../../milestones/index.ts'
import { wholeBoards } from '../core/facts.ts'
import { type Parent, parentColumns, portionsOfBoards } from '../core/store.ts'
import type { WholeBoard } from '../present.ts'
import { listKinds } from '../tables.ts'

/** Boards of one portion. Each has at most 100 lists. */
const boardsAtOnce = 50

const kindOf = (list: WholeBoard['lists'][number]) => listKinds.find((kind) => list[`${kind}_id`] !== null) ?? 'label'

function valuesOf(parent: Parent) {
  const { project_id, namespace_id } = parentColumns(parent)
  return project_id === null ? { namespace_id } : { project_id }
}

/** The boards of a project or group with their lists (contract 14). */
export const exportedBoards: ExportedLines = async function* (platform, db, portable) {
  const isPremium = portable.kind === 'group' && hasTier(platform.config.edition, 'premium')
  for await (const rows of portionsOfBoards(db, valuesOf(portable), boardsAtOnce)) {
    const boards = await wholeBoards(db, rows)
    const labels = boards.flatMap((board) => [...board.labels, ...board.lists.flatMap(({ label }) => label ?? [])])
    const lineOfLabel = await exportedLabelsOf(db, labels, portable)
    const lists = boards.flatMap((board) => board.lists)
    const milestone = await exportedMilestonesByIds(
      db,
      [...rows, ...lists].map(({ milestone_id }) => milestone_id),
    )
    const iteration = await exportedIterationsByIds(
      platform,
      db,
      lists.map(({ iteration_id }) => iteration_id),
    )
    const listLine = (list: WholeBoard['lists'][number]): ExportedLine => {
      const { position, created_at, updated_at, label, milestone_id, iteration_id, assignee_id } = list
      return {
        ...{ list_type: kindOf(list), position, created_at, updated_at, label: label && lineOfLabel(label) },
        ...{ milestone: milestone(milestone_id), iteration: iteration(iteration_id), user_id: assignee_id },
      }
    }
    yield boards.map((board): ExportedLine => {
      const { name, project_id, namespace_id, weight, hide_backlog_list, hide_closed_list, created_at, updated_at } =
        board
      return {
        ...{ name, project_id, group_id: namespace_id, weight, hide_backlog_list, hide_closed_list },
        ...{ created_at, updated_at, lists: board.lists.map(listLine) },
        ...(isPremium && {
          board_assignee: board.assignee_id === null ? null : { assignee_id: board.assignee_id },
          milestone: milestone(board.milestone_id),
          labels: board.labels.map(lineOfLabel),
        }),
      }
    })
  }
}
