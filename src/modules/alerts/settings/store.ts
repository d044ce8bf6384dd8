import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { AlertSettingsRow } from '../tables.ts'

export type AlertSettings = Omit<AlertSettingsRow, 'project_id' | 'updated_at'>

const defaults: AlertSettings = {
  create_issue: false,
  issue_template_key: null,
  send_email: false,
  auto_close_incident: true,
}

/** The settings of a project, or the defaults. */
export async function settingsOfAlerts(db: Reader, projectId: number): Promise<AlertSettings> {
  const row = await db.selectFrom('alert_settings').selectAll().where('project_id', '=', projectId).executeTakeFirst()
  return row ?? defaults
}

/** Stores all settings of a project. */
export async function putSettings(tx: Tx, projectId: number, settings: AlertSettings, moment: string): Promise<void> {
  const changes = { ...settings, updated_at: moment }
  await tx
    .insertInto('alert_settings')
    .values({ project_id: projectId, ...changes })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(changes))
    .execute()
}
