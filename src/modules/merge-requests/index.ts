import type { Module } from '../../platform/index.ts'
import * as core from './core/operations.ts'
import * as diffs from './diffs/operations.ts'
import { autoMergeJob } from './merging/auto-merge.ts'
import * as merging from './merging/operations.ts'
import { rebaseJob } from './merging/rebase.ts'
import { recoverMergesJob } from './merging/recovery.ts'

export { mergeRequestListener } from './heads/listener.ts'
export { mergeAfterPipeline } from './merging/auto-merge.ts'

/** Merge requests (contract 19). */
export const mergeRequests: Module = {
  name: 'merge-requests',
  operations: [core, diffs, merging].flatMap((room) => Object.values(room)),
  jobs: [autoMergeJob, rebaseJob, recoverMergesJob],
}
