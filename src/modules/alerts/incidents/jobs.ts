import type { Job } from '../../../platform/index.ts'
import { closeIncidentOf, openIncidentOf } from './incidents.ts'

type OfAlert = { alertId: number }

/** Opens the incident of an alert (contract 07, Incident job). */
export const openIncidentJob: Job<OfAlert> = {
  kind: 'alerts.open_incident',
  async run(platform, { alertId }) {
    await openIncidentOf(platform, alertId)
  },
}

/** Closes the incident of an alert that a payload has resolved. */
export const closeIncidentJob: Job<OfAlert> = {
  kind: 'alerts.close_incident',
  run: (platform, { alertId }) => closeIncidentOf(platform, alertId),
}
