import type { Platform } from '../../../platform/index.ts'
import { type Project, settingOf } from '../../projects/index.ts'
import { cancelPipeline } from '../processing/cancel-pipeline.ts'
import type { PipelineRow } from '../tables.ts'
import { interruptiblePipelines } from './store.ts'

/** Cancels older push pipelines of a branch that may be interrupted (contract 04, `auto_cancel_pending_pipelines`). */
export async function cancelOlder(platform: Platform, project: Project, pipeline: PipelineRow): Promise<void> {
  if (pipeline.tag || settingOf(project, 'auto_cancel_pending_pipelines') !== 'enabled') return
  const { database } = platform
  for (const id of await interruptiblePipelines(database.read, pipeline)) {
    await database.write((tx) => cancelPipeline(platform, tx, id))
  }
}
