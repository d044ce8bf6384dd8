import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

/** Counts of the instance for its administrators, and answers to clients that report usage (contract 25). */
export const usageData: Module = {
  name: 'usage-data',
  tags: { 'Usage data': 'Counts of the instance. Nothing about users is collected.' },
  operations: Object.values(operations),
}
