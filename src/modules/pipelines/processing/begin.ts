import type { Platform } from '../../../platform/index.ts'
import type { PipelineRow } from '../tables.ts'
import { keepRef } from './pipeline-ref.ts'
import { processPipeline } from './process.ts'

/** Creates the ref of a pipeline, and queues its first jobs: they can be fetched before a runner takes them. */
export async function beginPipeline(
  platform: Platform,
  pipeline: Pick<PipelineRow, 'id' | 'project_id' | 'sha'>,
): Promise<void> {
  await keepRef(platform, pipeline)
  await platform.database.write((tx) => processPipeline(platform, tx, pipeline.id))
}
