/** Settings of error tracking and keys of clients; events are not collected (contract 26.14). */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** The projects whose settings were stored once. */
export const errorTrackingSettings = table('error_tracking_settings', {
  project_id: t.refers('projects', 'cascade').primaryKey(),
  active: t.boolean(),
  integrated: t.boolean(),
})
export type ErrorTrackingSettingRow = RowOf<typeof errorTrackingSettings>

export const errorTrackingKeys = table(
  'error_tracking_keys',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    /** Part of an address that applications have in public. */
    public_key: t.name(),
    created_at: t.time(),
  },
  { unique: { public_key: ['public_key'] }, indexes: { order: ['project_id', 'id'] } },
)
export type ErrorTrackingKeyRow = RowOf<typeof errorTrackingKeys>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof errorTrackingSettings | typeof errorTrackingKeys> {}
}
