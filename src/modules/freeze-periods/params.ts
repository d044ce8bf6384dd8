import { type ParamValues, t } from '../../api/index.ts'

export const freezePeriodId = { freeze_period_id: t.id() }

/** Parameters of x.freeze_periods_update. */
export const freezePeriodChanges = {
  freeze_start: t.string({ description: 'When it begins, such as `0 23 * * 5`.' }),
  freeze_end: t.string({ description: 'When it ends, such as `0 7 * * 1`.' }),
  cron_timezone: t.string({ description: 'Such as `Europe/Berlin`; default UTC.' }),
}
export type FreezePeriodChanges = ParamValues<typeof freezePeriodChanges>

/** Parameters of x.freeze_periods_create. */
export const newFreezePeriod = {
  ...freezePeriodChanges,
  freeze_start: t.required(freezePeriodChanges.freeze_start),
  freeze_end: t.required(freezePeriodChanges.freeze_end),
}
export type NewFreezePeriod = ParamValues<typeof newFreezePeriod>
