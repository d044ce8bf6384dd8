import type { Module } from '../../platform/index.ts'
import * as operations from './statuses/operations.ts'

export { movePipelines, pipelinesOfCommits } from './statuses/statuses.ts'

export const pipelines: Module = { name: 'pipelines', operations: Object.values(operations) }
