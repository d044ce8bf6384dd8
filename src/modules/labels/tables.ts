/** Labels of projects and groups in one id sequence, their priorities in projects, and who is subscribed to them (contract 17). */
import {
  type NewRowOf,
  partial,
  type RowOf,
  type TableOf,
  type TablesOf,
  t,
  table,
} from '../../infra/database/index.ts'

/** Labels of projects (`project_id`) and groups (`namespace_id`). */
export const labels = table(
  'labels',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    title: t.name(),
    description: t.text().nullable(),
    /** `#` and six hexadecimal digits. */
    color: t.text(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    checks: ['(project_id is null) <> (namespace_id is null)'],
    unique: { project: partial('project_id', 'title'), namespace: partial('namespace_id', 'title') },
    indexes: { title: ['title', 'id'] },
    text: ['title', 'description'],
  },
)

/** Priorities of labels in projects, where 0 is the highest. A group label has one in each project that sets it. */
export const labelPriorities = table(
  'label_priorities',
  {
    project_id: t.refers('projects', 'cascade'),
    label_id: t.refers('labels', 'cascade'),
    priority: t.bigint().check('>= 0'),
  },
  {
    primaryKey: ['project_id', 'label_id'],
    indexes: { order: ['priority', 'project_id', 'label_id'], label: ['label_id', 'project_id', 'priority'] },
  },
)
export type LabelPrioritiesTable = TableOf<typeof labelPriorities>

export const labelSubscriptions = table(
  'label_subscriptions',
  {
    label_id: t.refers('labels', 'cascade'),
    user_id: t.refers('users', 'cascade'),
    created_at: t.time(),
  },
  {
    primaryKey: ['label_id', 'user_id'],
    indexes: { user: ['user_id'] },
  },
)

export type LabelRow = RowOf<typeof labels>
export type NewLabelRow = NewRowOf<typeof labels>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof labels | typeof labelPriorities | typeof labelSubscriptions> {}
}
