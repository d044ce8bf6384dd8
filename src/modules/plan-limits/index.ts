import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { fixedLimits, type PlanLimits, planLimits } from './limits.ts'

/** Limits of the instance that administrators can change (contract 03). */
export const planLimitsModule: Module = {
  name: 'plan-limits',
  tags: { 'Plan limits': 'Limits of the instance, for administrators.' },
  operations: Object.values(operations),
}
