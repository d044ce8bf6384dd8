import type { ColumnType, Selectable } from 'kysely'

/** The one row of the instance's settings; there is none before anything was changed or shown. */
export type ApplicationSettingsTable = {
  /** Always 1. */
  id: number
  /** JSON by name: what differs from the defaults, and nothing else. */
  changed: ColumnType<Record<string, unknown>, string, string>
  created_at: string
  /** Also the version by which every process knows whether its copy is still right. */
  updated_at: string
}

export type ApplicationSettingsRow = Selectable<ApplicationSettingsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    application_settings: ApplicationSettingsTable
  }
}
