import type { Module } from '../../platform/index.ts'
import { integrationOperations } from './core/operations.ts'
import { deliverJob } from './delivery/deliver.ts'

export { catalogue as integrationCatalogue } from './catalogue/catalogue.ts'
export { type Entry as IntegrationEntry, fieldsOf as fieldsOfIntegration } from './catalogue/entry.ts'
export { type EventColumn, eventDefaults } from './catalogue/events.ts'
export type { Field as IntegrationField } from './catalogue/fields.ts'
export { integrationOperations as integrationTwins } from './core/operations.ts'
export { followEvent, isFollowed } from './delivery/deliver.ts'
export { trackersOf } from './trackers/trackers.ts'

const { project, group } = integrationOperations

/** Other programs that are notified of what happens in projects, or whose issues are linked (contract 25, Integrations). */
export const integrations: Module = {
  name: 'integrations',
  tags: { Integrations: 'Other programs that are notified of what happens in projects, or whose issues are linked.' },
  operations: [...Object.values(project), ...Object.values(group)],
  jobs: [deliverJob],
}
