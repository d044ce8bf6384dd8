import { type ParamValues, t } from '../../../api/index.ts'

export const schedulePath = { pipeline_schedule_id: t.id() }

export const scheduleFilter = { scope: t.oneOf(['active', 'inactive']) }

/** Parameters of 2.15. */
export const scheduleChanges = {
  description: t.string(),
  ref: t.string({ description: 'Branch or tag.' }),
  cron: t.string({ description: 'Such as `0 1 * * 5`.' }),
  cron_timezone: t.string({ description: 'Such as `Europe/Berlin`; default UTC.' }),
  active: t.boolean(),
}
export type ScheduleChanges = ParamValues<typeof scheduleChanges>

/** Parameters of 2.14. */
export const newSchedule = {
  ...scheduleChanges,
  description: t.required(scheduleChanges.description),
  ref: t.required(scheduleChanges.ref),
  cron: t.required(scheduleChanges.cron),
}
export type NewSchedule = ParamValues<typeof newSchedule>
