/** Milestones of projects and groups (contract 17). Lists begin with the latest due date and end with milestones that have none. */
import {
  type NewRowOf,
  partial,
  type RowOf,
  type TableOf,
  type TablesOf,
  t,
  table,
} from '../../infra/database/index.ts'

/** Milestones of projects (`project_id`) and groups (`namespace_id`). */
export const milestones = table(
  'milestones',
  {
    id: t.id(),
    iid: t.bigint(),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    title: t.name(),
    description: t.text().nullable(),
    state: t.oneOf('active', 'closed').default('active'),
    /** `YYYY-MM-DD`, like `due_date`. */
    start_date: t.date().nullable(),
    due_date: t.date().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    checks: ['(project_id is null) <> (namespace_id is null)'],
    unique: {
      project_iid: partial('project_id', 'iid'),
      namespace_iid: partial('namespace_id', 'iid'),
      project_title: partial('project_id', 'title'),
      namespace_title: partial('namespace_id', 'title'),
    },
    indexes: {
      title: ['title', 'id'],
      due: partial('due_date', 'id'),
      project_order: partial('project_id', "coalesce(due_date, '0001-01-01')", 'id', 'state', 'updated_at'),
      namespace_order: partial('namespace_id', "coalesce(due_date, '0001-01-01')", 'id', 'state', 'updated_at'),
      active: { on: ['start_date', 'due_date', 'id'], where: "state = 'active'" },
    },
    text: ['title', 'description'],
  },
)
export type MilestonesTable = TableOf<typeof milestones>

/** A milestone with the full path of its project or group. */
export type MilestoneRow = RowOf<typeof milestones> & { parent_path: string }
export type NewMilestoneRow = NewRowOf<typeof milestones>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof milestones> {}
}
