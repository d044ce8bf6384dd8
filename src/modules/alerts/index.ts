import './events.ts'
import type { Module } from '../../platform/index.ts'
import { closeIncidentJob, openIncidentJob } from './incidents/jobs.ts'
import * as ingestion from './ingestion/operations.ts'
import { ingestionRoutes } from './ingestion/routes.ts'
import { alertIngestion } from './ingestion/service.ts'
import * as integrations from './integrations/operations.ts'
import * as payloads from './payloads/operations.ts'

export type { Incident, NewIncident } from './events.ts'

/** Alerts that monitoring tools send (contract 07). */
export const alerts: Module = {
  name: 'alerts',
  operations: [integrations, payloads, ingestion].flatMap((room) => Object.values(room)),
  jobs: [openIncidentJob, closeIncidentJob],
  services: [alertIngestion],
  routes: ingestionRoutes,
}
