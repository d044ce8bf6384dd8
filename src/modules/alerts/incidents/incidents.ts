import { now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { projectById } from '../../projects/index.ts'
import { alertBotId } from '../../users/index.ts'
import { alertUrl } from '../alerts/present.ts'
import type { NewIncident } from '../events.ts'
import { insertNotes } from '../notes/store.ts'
import { settingsOfAlerts } from '../settings/store.ts'
import type { AlertRow } from '../tables.ts'
import { incidentDescription } from './description.ts'
import * as store from './store.ts'
import { issueTemplate } from './template.ts'

/** Incidents have no severity `info` (contract 07, Incident job). */
const severityOf = ({ severity }: AlertRow) => (severity === 'info' ? 'unknown' : severity)

/**
 * Opens an incident for an alert and links both, unless the alert has one. Two calls at once open one incident: the alert is
 * locked while it is linked.
 * @param authorId null for `alert-bot`
 * @returns the id of the issue that this call has opened; null when there was one, or the project has no issues
 */
export async function openIncidentOf(
  platform: Platform,
  alertId: number,
  authorId: number | null = null,
): Promise<number | null> {
  const { database, externalUrl, clock, ports } = platform
  const found = await store.alertById(database.read, alertId)
  const project = found && (await projectById(database.read, found.project_id))
  if (!project || found.issue_id !== null) return null
  const { issue_template_key: key } = await settingsOfAlerts(database.read, project.id)
  const template = key === null ? null : await issueTemplate(platform, project, key)
  const description = incidentDescription(found, alertUrl(externalUrl, project.full_path, found.iid), template)
  return database.write(async (tx) => {
    const alert = await store.holdAlert(tx, alertId)
    if (!alert || alert.issue_id !== null) return null
    const author = authorId ?? (await alertBotId(platform, tx))
    const incident: NewIncident = {
      ...{ projectId: project.id, authorId: author, title: alert.title, description },
      severity: severityOf(alert),
    }
    const issue = await ports['alerts.open_incident'](platform, tx, incident)
    if (!issue) return null
    const moment = now(clock)
    await store.linkIncident(tx, alertId, issue.id, moment)
    await insertNotes(tx, [{ alertId, authorId: author, body: `created incident #${issue.iid}` }], moment)
    // The alert may have been resolved while the job waited.
    if (authorId === null) await closeIfResolved(platform, tx, { ...alert, issue_id: issue.id })
    return issue.id
  })
}

/** Closes the incident of a resolved alert as `alert-bot`, if the project wants that. */
async function closeIfResolved(platform: Platform, tx: Tx, alert: AlertRow): Promise<void> {
  if (alert.status !== 'resolved' || alert.issue_id === null) return
  const { auto_close_incident: isWanted } = await settingsOfAlerts(tx, alert.project_id)
  if (!isWanted) return
  await platform.ports['alerts.close_incident'](platform, tx, alert.issue_id, await alertBotId(platform, tx))
}

/** Closes the incident of an alert that a payload has resolved (contract 07, Rules: Ingestion). */
export async function closeIncidentOf(platform: Platform, alertId: number): Promise<void> {
  await platform.database.write(async (tx) => {
    const alert = await store.holdAlert(tx, alertId)
    if (alert) await closeIfResolved(platform, tx, alert)
  })
}
