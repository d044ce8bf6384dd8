import type { Module } from '../../platform/index.ts'
import * as integrations from './integrations/operations.ts'
import * as payloads from './payloads/operations.ts'

/** Alerts that monitoring tools send (contract 07). */
export const alerts: Module = {
  name: 'alerts',
  operations: [integrations, payloads].flatMap((room) => Object.values(room)),
}
