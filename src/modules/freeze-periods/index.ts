import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { isFrozen } from './frozen.ts'

/** Freeze periods, in which jobs are told not to deploy (contract 24). */
export const freezePeriods: Module = {
  name: 'freeze-periods',
  tags: { 'Freeze periods': 'Periods in which jobs are told not to deploy.' },
  operations: Object.values(operations),
}
