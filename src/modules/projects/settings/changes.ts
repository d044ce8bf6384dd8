import { type Problems, refuse } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import type { SettingChanges } from '../../../platform/settings/index.ts'
import { holdProject, updateProject } from '../core/store.ts'
import type { ProjectRow } from '../tables.ts'
import { settingsAfter, type WritableParams } from './params.ts'
import type { approvalSettings, projectSettings } from './settings.ts'

/** Settings to change; undefined leaves a setting as it is. */
type SettingsToChange = Pick<WritableParams, keyof typeof projectSettings> & SettingChanges<typeof approvalSettings>

/**
 * Changes settings of a project for the module that owns them.
 * @param now ISO text
 * @returns the changed project; null when it was deleted
 * @throws ApiError 400, form C
 */
export async function changeSettings(
  tx: Tx,
  projectId: number,
  changes: Partial<SettingsToChange>,
  now: string,
): Promise<ProjectRow | null> {
  const held = await holdProject(tx, projectId)
  if (!held || held.pending_delete) return null
  const problems: Problems = {}
  const settings = settingsAfter(held.settings, changes, problems, now)
  refuse(problems)
  return updateProject(tx, projectId, { settings: JSON.stringify(settings), updated_at: now })
}
