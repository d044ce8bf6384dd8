import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { isFeatureOn, readFeature, requireWorker } from './evaluation.ts'

/** Feature flags of the instance (contract 05). */
export const features: Module = {
  name: 'features',
  tags: { Features: 'Feature flags of the instance, for administrators.' },
  operations: Object.values(operations),
}
