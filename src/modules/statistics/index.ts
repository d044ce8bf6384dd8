import type { Module } from '../../platform/index.ts'
import { groupActivity } from './group-activity.ts'
import * as operations from './operations.ts'

export { applicationStatistics, signInStatistics, storageStatistics } from './operations.ts'

/** Counts over the rows of all other modules (contract 20, 26.18). */
export const statistics: Module = { name: 'statistics', operations: [...Object.values(operations), ...groupActivity] }
