/** The settings of the instance (contract 20). */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** The one row of the instance's settings; there is none before anything was changed or shown. */
export const applicationSettings = table('application_settings', {
  /** Always 1. */
  id: t.integer().primaryKey(),
  /** JSON by name: what differs from the defaults, and nothing else. */
  changed: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  /** Also the version by which every process knows whether its copy is still right. */
  updated_at: t.time(),
})

export type ApplicationSettingsRow = RowOf<typeof applicationSettings>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof applicationSettings> {}
}
