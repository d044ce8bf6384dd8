import type { Generated, Insertable, Selectable } from 'kysely'

/** Milestones of projects (`project_id`) and groups (`namespace_id`). */
export type MilestonesTable = {
  id: Generated<number>
  iid: number
  project_id: number | null
  namespace_id: number | null
  title: string
  description: string | null
  state: Generated<'active' | 'closed'>
  /** `YYYY-MM-DD`, like `due_date`. */
  start_date: string | null
  due_date: string | null
  created_at: string
  updated_at: string
}

/** A milestone with the full path of its project or group. */
export type MilestoneRow = Selectable<MilestonesTable> & { parent_path: string }
export type NewMilestoneRow = Insertable<MilestonesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    milestones: MilestonesTable
  }
}
