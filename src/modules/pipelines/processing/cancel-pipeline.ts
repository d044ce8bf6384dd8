import type { Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { cancelJobs } from './job-changes.ts'
import { lockPipeline } from './process.ts'
import { unfinishedJobs } from './store/states.ts'

/** Cancels all jobs of a pipeline that have not ended. @returns their number */
export async function cancelPipeline(platform: Platform, tx: Tx, pipelineId: number): Promise<number> {
  await lockPipeline(tx, pipelineId)
  return cancelJobs(platform, tx, pipelineId, await unfinishedJobs(tx, pipelineId))
}
