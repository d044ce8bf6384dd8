import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'
import { sendJob } from './sending.ts'

export { requestStatusChecksList, requestStatusChecksRetry } from './operations.ts'
export { checkChangedRequests, checkSavedRequests } from './sending.ts'
export { withoutAllChecksPassed } from './statuses.ts'

/** Programs elsewhere that say whether a merge request may be merged (contract 24, Status checks). */
export const statusChecks: Module = {
  name: 'status-checks',
  tags: { 'Status checks': 'Programs elsewhere that say whether a merge request may be merged.' },
  operations: Object.values(operations),
  jobs: [sendJob],
}
