import './events.ts'
import type { Events, Module, Reaction } from '../../platform/index.ts'
import { ghostUserId } from '../users/index.ts'
import * as core from './alerts/operations.ts'
import { closeIncidentJob, openIncidentJob } from './incidents/jobs.ts'
import * as ingestion from './ingestion/operations.ts'
import { ingestionRoutes } from './ingestion/routes.ts'
import { alertIngestion } from './ingestion/service.ts'
import * as integrations from './integrations/operations.ts'
import { mailAlertJob } from './mails/mails.ts'
import * as metricImages from './metric-images/operations.ts'
import { imageProblems, removeImagesJob, sweepImagesJob } from './metric-images/removal.ts'
import * as notes from './notes/operations.ts'
import { giveNotesTo, hasNotes } from './notes/store.ts'
import * as payloads from './payloads/operations.ts'
import * as settings from './settings/operations.ts'

export {
  alertsCreateIncident,
  alertsGet,
  alertsList,
  alertsSeverityCounts,
  alertsStatusCounts,
  alertsUpdate,
} from './alerts/operations.ts'
export { alertUrl } from './alerts/present.ts'
export { resolveAlertsOfIncident, unlinkRemovedIncident } from './incidents/reactions.ts'
export { alertsByIds } from './incidents/store.ts'
export { alertIntegrationsTest } from './ingestion/operations.ts'
export { alertIntegrationsCreate, alertIntegrationsList } from './integrations/operations.ts'
export {
  alertMetricImagesCreate,
  alertMetricImagesDelete,
  alertMetricImagesList,
} from './metric-images/operations.ts'
export { removeMetricImages } from './metric-images/removal.ts'
export { alertNotesList } from './notes/operations.ts'
export type { AlertRow } from './tables.ts'

/** Moves the activity of a removed user to the ghost user. */
export const moveAlertNotes: Reaction<Events['user.removed']> = async (platform, tx, { userId }) => {
  if (await hasNotes(tx, userId)) await giveNotesTo(tx, userId, await ghostUserId(platform, tx))
}

/** Alerts that monitoring tools send (contract 07). */
export const alerts: Module = {
  name: 'alerts',
  tags: {
    'Alert integrations': 'How monitoring tools send alerts to a project: addresses, keys and mappings.',
    Alerts: 'Alerts that monitoring tools have sent, with their incidents.',
  },
  operations: [integrations, payloads, ingestion, core, notes, settings, metricImages].flatMap((room) =>
    Object.values(room),
  ),
  jobs: [openIncidentJob, closeIncidentJob, mailAlertJob, removeImagesJob, sweepImagesJob],
  checks: [imageProblems],
  services: [alertIngestion],
  routes: ingestionRoutes,
}
