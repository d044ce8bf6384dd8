/** Issue boards of projects and groups, and their lists, which are the columns of a board (contract 25, Boards). */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** The milestones that a scope can name besides stored ones. */
export const milestoneScopes = ['none', 'any', 'upcoming', 'started'] as const
export type MilestoneScope = (typeof milestoneScopes)[number]

/** Boards of projects (`project_id`) and groups (`namespace_id`). */
export const boards = table(
  'boards',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    name: t.name(),
    hide_backlog_list: t.boolean().default(false),
    hide_closed_list: t.boolean().default(false),
    milestone_id: t.refers('milestones', 'set null').nullable(),
    milestone_scope: t.oneOf(...milestoneScopes).nullable(),
    assignee_id: t.refers('users', 'set null').nullable(),
    /** -1 any, -2 none. */
    weight: t.integer().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    checks: ['(project_id is null) <> (namespace_id is null)', '(milestone_id is null) or (milestone_scope is null)'],
    indexes: {
      project_order: partial('project_id', 'id'),
      namespace_order: partial('namespace_id', 'id'),
      milestone: partial('milestone_id'),
      assignee: partial('assignee_id'),
    },
  },
)

/** The labels of the scope of a board. */
export const boardLabels = table(
  'board_labels',
  { board_id: t.refers('boards', 'cascade'), label_id: t.refers('labels', 'cascade') },
  { primaryKey: ['board_id', 'label_id'], indexes: { label: ['label_id'] } },
)

/** The columns of a list that name what its issues have: each list has one of them. */
export const listKinds = ['label', 'milestone', 'iteration', 'assignee'] as const
export type ListKind = (typeof listKinds)[number]

/**
 * Lists of boards. `rank` orders those of a board. A position is counted when a list is read, so that positions have no gaps
 * when the deletion of a label takes a list with it.
 */
export const boardLists = table(
  'board_lists',
  {
    id: t.id(),
    board_id: t.refers('boards', 'cascade'),
    label_id: t.refers('labels', 'cascade').nullable(),
    milestone_id: t.refers('milestones', 'cascade').nullable(),
    iteration_id: t.refers('iterations', 'cascade').nullable(),
    assignee_id: t.refers('users', 'cascade').nullable(),
    rank: t.bigint(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    checks: [`${listKinds.map((kind) => `(case when ${kind}_id is null then 0 else 1 end)`).join(' + ')} = 1`],
    unique: {
      label: partial('label_id', 'board_id'),
      milestone: partial('milestone_id', 'board_id'),
      iteration: partial('iteration_id', 'board_id'),
      assignee: partial('assignee_id', 'board_id'),
    },
    indexes: { order: ['board_id', 'rank', 'id'] },
  },
)

export type BoardRow = RowOf<typeof boards>
export type BoardListRow = RowOf<typeof boardLists>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof boards | typeof boardLabels | typeof boardLists> {}
}
