/** Periods in which new jobs get the variable `CI_DEPLOY_FREEZE` (contract 24, FreezePeriod). */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const freezePeriods = table(
  'freeze_periods',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    /** When a period begins and ends: expressions of contract 04. */
    freeze_start: t.text(),
    freeze_end: t.text(),
    /** As given. */
    cron_timezone: t.text(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  { indexes: { order: ['project_id', 'created_at', 'id'] } },
)
export type FreezePeriodRow = RowOf<typeof freezePeriods>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof freezePeriods> {}
}
