import type { Generated, Insertable, Selectable, Updateable } from 'kysely'

export type PipelineSchedulesTable = {
  id: Generated<number>
  project_id: number
  /** Null after the account was deleted. */
  owner_id: number | null
  description: string
  /** `refs/heads/…` or `refs/tags/…`, or as given when neither existed. */
  ref: string
  cron: string
  /** As given. */
  cron_timezone: string
  active: boolean
  next_run_at: string
  created_at: string
  updated_at: string
}

export type PipelineScheduleVariablesTable = {
  id: Generated<number>
  schedule_id: number
  key: string
  variable_type: 'env_var' | 'file'
  sealed_value: string
}

export type ScheduleRow = Selectable<PipelineSchedulesTable>
export type NewScheduleRow = Insertable<PipelineSchedulesTable>
export type ScheduleRowChanges = Updateable<PipelineSchedulesTable>
export type ScheduleVariableRow = Selectable<PipelineScheduleVariablesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    pipeline_schedules: PipelineSchedulesTable
    pipeline_schedule_variables: PipelineScheduleVariablesTable
  }
}
