import { invalid } from '../../../api/index.ts'
import { acquireLock, now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { issueTemplate } from '../incidents/template.ts'
import { type AlertSettings, putSettings, settingsOfAlerts } from './store.ts'

/** Alerts without a fingerprint get one on every instance: there is no tier without it. */
const present = ({ create_issue, issue_template_key, send_email, auto_close_incident }: AlertSettings) => ({
  ...{ create_issue, issue_template_key, send_email, auto_close_incident },
  automatic_fingerprinting: true,
})

/** The alert settings of a project (contract 07, x.alert_settings_get). */
export async function getSettings({ database }: Platform, project: Project) {
  return present(await settingsOfAlerts(database.read, project.id))
}

/** Changes the alert settings of a project; omitted ones stay (contract 07, x.alert_settings_update). @throws ApiError 400 */
export async function updateSettings(platform: Platform, project: Project, given: Partial<AlertSettings>) {
  const { issue_template_key: text } = given
  const key = text === '' ? null : text
  if (typeof key === 'string' && (await issueTemplate(platform, project, key)) === null) {
    throw invalid({ issue_template_key: ['not found'] })
  }
  return platform.database.write(async (tx) => {
    await acquireLock(tx, `alert_settings:${project.id}`)
    const current = await settingsOfAlerts(tx, project.id)
    const settings: AlertSettings = {
      create_issue: given.create_issue ?? current.create_issue,
      issue_template_key: key === undefined ? current.issue_template_key : key,
      send_email: given.send_email ?? current.send_email,
      auto_close_incident: given.auto_close_incident ?? current.auto_close_incident,
    }
    await putSettings(tx, project.id, settings, now(platform.clock))
    return present(settings)
  })
}
