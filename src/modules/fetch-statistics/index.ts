import type { Module } from '../../platform/index.ts'
import { forgetFetches } from './fetches.ts'
import * as operations from './operations.ts'

export { countFetch } from './fetches.ts'

/** How often projects are cloned and fetched (contract 21). */
export const fetchStatisticsModule: Module = {
  name: 'fetch-statistics',
  operations: Object.values(operations),
  jobs: [forgetFetches],
}
