import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { isFrozen } from './frozen.ts'

/** Freeze periods, in which new jobs get the variable `CI_DEPLOY_FREEZE` (contract 24). */
export const freezePeriods: Module = {
  name: 'freeze-periods',
  tags: { 'Freeze periods': 'Periods in which new jobs get the variable `CI_DEPLOY_FREEZE`.' },
  operations: Object.values(operations),
}
