/** Schedules that create pipelines, and their variables (contract 04). A pipeline keeps the id of its schedule. */
import { type ChangesOf, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const pipelineSchedules = table(
  'pipeline_schedules',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    /** Null after the account was deleted. */
    owner_id: t.refers('users', 'set null').nullable(),
    description: t.text(),
    /** `refs/heads/…` or `refs/tags/…`, or as given when neither existed. */
    ref: t.text(),
    cron: t.text(),
    /** As given. */
    cron_timezone: t.text(),
    active: t.boolean(),
    next_run_at: t.time(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    indexes: {
      order: ['project_id', 'id'],
      owner: ['owner_id'],
      due: { on: ['next_run_at', 'id'], where: 'active = true' },
    },
  },
)

export const pipelineScheduleVariables = table(
  'pipeline_schedule_variables',
  {
    id: t.id(),
    schedule_id: t.refers('pipeline_schedules', 'cascade'),
    key: t.name(),
    variable_type: t.text<'env_var' | 'file'>(),
    sealed_value: t.text(),
  },
  {
    unique: { key: ['schedule_id', 'key'] },
  },
)

export type ScheduleRow = RowOf<typeof pipelineSchedules>
export type ScheduleRowChanges = ChangesOf<typeof pipelineSchedules>
export type ScheduleVariableRow = RowOf<typeof pipelineScheduleVariables>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof pipelineSchedules | typeof pipelineScheduleVariables> {}
}
