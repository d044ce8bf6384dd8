import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { mayReadBuilds } from './access.ts'
export { pipelinesOfCommits } from './facts.ts'
export { movePipelines } from './removal.ts'
export type { CommitStatusRow, PipelineRow } from './tables.ts'

export const pipelines: Module = { name: 'pipelines', operations: Object.values(operations) }
