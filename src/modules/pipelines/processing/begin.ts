import type { Platform } from '../../../platform/index.ts'
import type { PipelineRow } from '../tables.ts'
import { enqueueCreated } from './job-changes.ts'
import { keepRef } from './pipeline-ref.ts'
import { processPipeline } from './process.ts'

/**
 * Creates the ref of a pipeline, and queues its first jobs: they can be fetched before a runner takes them.
 * @param jobIds created jobs that do not wait for others, such as a job that is retried alone
 */
export async function beginPipeline(
  platform: Platform,
  pipeline: Pick<PipelineRow, 'id' | 'project_id' | 'sha'>,
  jobIds: readonly number[] = [],
): Promise<void> {
  await keepRef(platform, pipeline)
  await platform.database.write(async (tx) => {
    if (jobIds.length > 0) await enqueueCreated(platform, tx, pipeline.id, jobIds)
    await processPipeline(platform, tx, pipeline.id)
  })
}
