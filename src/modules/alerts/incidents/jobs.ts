import type { Job } from '../../../platform/index.ts'
import { requireWorker } from '../../features/index.ts'
import { closeIncidentOf, openIncidentOf } from './incidents.ts'
import { alertById } from './store.ts'

type OfAlert = { alertId: number }

/** Opens the incident of an alert (contract 07, Incident job). */
export const openIncidentJob: Job<OfAlert> = {
  kind: 'alerts.open_incident',
  async run(platform, { alertId }) {
    const alert = await alertById(platform.database.read, alertId)
    if (!alert) return
    await requireWorker(platform, 'alert_incident_worker', { projectId: alert.project_id })
    await openIncidentOf(platform, alertId)
  },
}

/** Closes the incident of an alert that a payload has resolved. */
export const closeIncidentJob: Job<OfAlert> = {
  kind: 'alerts.close_incident',
  run: (platform, { alertId }) => closeIncidentOf(platform, alertId),
}
