import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { movePipelines, pipelinesOfCommits } from './statuses.ts'

export const pipelines: Module = { name: 'pipelines', operations: Object.values(operations) }
