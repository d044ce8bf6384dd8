import type { Tx } from '../../../infra/database/index.ts'
import {
  booleanOf,
  type ImportedLine,
  type Importing,
  type ImportLine,
  integerOf,
  lineOf,
  linesOf,
  requiredText,
  timesOf,
  userOf,
} from '../../../platform/index.ts'
import { embeddedIteration } from '../../iterations/index.ts'
import { embeddedLabel, embeddedLabels } from '../../labels/index.ts'
import { embeddedMilestone } from '../../milestones/index.ts'
import { insertBoard, parentColumns, setScopeLabels } from '../core/store.ts'
import { insertList } from '../lists/store/lists.ts'
import type { ListKind } from '../tables.ts'

const mostLists = 100

/** What the issues of a list have, found or stored; null when the line embeds none, or one that is not here. @throws BadLine */
async function targetOf(
  tx: Tx,
  into: Importing,
  list: ImportedLine,
): Promise<Record<`${ListKind}_id`, number | null> | null> {
  const [label, milestone, iteration] = [lineOf(list, 'label'), lineOf(list, 'milestone'), lineOf(list, 'iteration')]
  const none = { label_id: null, milestone_id: null, iteration_id: null, assignee_id: null }
  const target = label
    ? { ...none, label_id: await embeddedLabel(tx, into, label) }
    : milestone
      ? { ...none, milestone_id: await embeddedMilestone(tx, into, milestone) }
      : iteration
        ? { ...none, iteration_id: await embeddedIteration(tx, into, iteration) }
        : { ...none, assignee_id: userOf(into, list, 'user_id') }
  return Object.values(target).some((id) => id !== null) ? target : null
}

/** Stores lists in the order of their positions; those of what lines do not embed are left out. */
async function importLists(tx: Tx, into: Importing, board_id: number, lists: readonly ImportedLine[]): Promise<void> {
  const positionOf = (list: ImportedLine) => integerOf(list, 'position') ?? 0
  const seen = new Set<string>()
  for (const list of lists.toSorted((a, b) => positionOf(a) - positionOf(b)).slice(0, mostLists)) {
    const target = await targetOf(tx, into, list)
    const key = JSON.stringify(target)
    if (target === null || seen.has(key)) continue
    await insertList(tx, { board_id, ...target, rank: seen.size, ...timesOf(list) })
    seen.add(key)
  }
}

/** Imports a board of a project or group with its lists (contract 14, boards). */
export const importBoard: ImportLine = async (_platform, into, line) => {
  const row = {
    ...parentColumns(into),
    name: requiredText(line, 'name'),
    weight: integerOf(line, 'weight', { least: -2, most: 1_000_000 }),
    hide_backlog_list: booleanOf(line, 'hide_backlog_list', false),
    hide_closed_list: booleanOf(line, 'hide_closed_list', false),
    ...timesOf(line),
  }
  const assignee = lineOf(line, 'board_assignee')
  const milestone = lineOf(line, 'milestone')
  const labels = linesOf(line, 'labels')
  const lists = linesOf(line, 'lists')
  return async (tx) => {
    const { id } = await insertBoard(tx, {
      ...row,
      assignee_id: assignee && userOf(into, assignee, 'assignee_id'),
      milestone_id: milestone && (await embeddedMilestone(tx, into, milestone)),
      milestone_scope: null,
    })
    await setScopeLabels(tx, id, await embeddedLabels(tx, into, labels))
    await importLists(tx, into, id, lists)
  }
}
