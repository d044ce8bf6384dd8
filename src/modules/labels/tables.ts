import type { Generated, Insertable, Selectable } from 'kysely'

/** Labels of projects (`project_id`) and groups (`namespace_id`). */
export type LabelsTable = {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  title: string
  description: string | null
  /** `#` and six hexadecimal digits. */
  color: string
  created_at: string
  updated_at: string
}

/** Priorities of labels in projects, where 0 is the highest. A group label has one in each project that sets it. */
export type LabelPrioritiesTable = { project_id: number; label_id: number; priority: number }

export type LabelSubscriptionsTable = { label_id: number; user_id: number; created_at: string }

export type LabelRow = Selectable<LabelsTable>
export type NewLabelRow = Insertable<LabelsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    labels: LabelsTable
    label_priorities: LabelPrioritiesTable
    label_subscriptions: LabelSubscriptionsTable
  }
}
