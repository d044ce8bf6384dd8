import { computed, forms, notFound, object, of, Type } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { Project } from '../projects/index.ts'
import * as store from './store.ts'
import type { ErrorTrackingSettingRow } from './tables.ts'

const none = computed(forms.nullableString, () => null)

/** The settings of a project (contract 26.14, ErrorTrackingSetting). No address of another server can be set. */
export const ErrorTrackingSetting = object('ErrorTrackingSetting', of<ErrorTrackingSettingRow>(), {
  active: Type.Boolean(),
  project_name: none,
  sentry_external_url: none,
  api_url: none,
  integrated: Type.Boolean(),
})

const noSetting = () => notFound('Error Tracking Setting')

/** The settings of a project (contract 26, x.error_tracking_get). @throws ApiError 404 */
export async function getSetting({ database }: Platform, project: Project) {
  const row = await store.settingOfProject(database.read, project.id)
  if (!row) throw noSetting()
  return ErrorTrackingSetting.present(row)
}

/** Stores the settings of a project (contract 26, x.error_tracking_put). */
export async function putSetting(
  { database }: Platform,
  project: Project,
  { active, integrated }: { active: boolean; integrated: boolean },
) {
  const row = { project_id: project.id, active, integrated }
  await database.write((tx) => store.storeSetting(tx, row))
  return ErrorTrackingSetting.present(row)
}

/** Changes the settings of a project (contract 26, x.error_tracking_patch). @throws ApiError 404 */
export async function patchSetting(
  { database }: Platform,
  project: Project,
  { active, integrated }: { active: boolean; integrated?: boolean | undefined },
) {
  const changes = { active, ...(integrated !== undefined && { integrated }) }
  const row = await database.write((tx) => store.changeSetting(tx, project.id, changes))
  if (!row) throw noSetting()
  return ErrorTrackingSetting.present(row)
}
