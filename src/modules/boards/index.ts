import type { Module } from '../../platform/index.ts'
import { boardListTwins, boardTwins } from './operations.ts'

export { exportedBoards } from './export/lines.ts'
export { importBoard } from './import/lines.ts'
export { boardListTwins, boardTwins } from './operations.ts'
export { dropListsOfGroup, dropListsOfProject, mergeLabelsOfBoards, mergeMilestonesOfBoards } from './reactions.ts'

/** Issue boards of projects and groups (contract 25). */
export const boards: Module = {
  name: 'boards',
  tags: { Boards: 'Issue boards of projects and groups, and their lists.' },
  operations: [boardTwins, boardListTwins].flatMap(({ project, group }) => [
    ...Object.values(project),
    ...Object.values(group),
  ]),
}
