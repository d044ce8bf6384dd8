import { GitError, type Oid, parseOid, refName, zeroOid } from '../../../infra/git/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { openRow, outsideGate, repositoryOfProject } from '../../../platform/repositories/index.ts'
import type { PipelineRow } from '../tables.ts'
import { kinds, type OfPipeline } from './later.ts'
import { pipelineById } from './store/states.ts'

/** Sets a ref, or removes it. */
async function writeRef(platform: Platform, projectId: number, pipelineId: number, sha: Oid | null): Promise<void> {
  const row = await repositoryOfProject(platform.database.read, projectId)
  const ref = refName(`refs/pipelines/${pipelineId}`)
  if (!row || !ref) return
  const repository = await openRow(platform, row)
  const update = { ref, old: null, new: sha ?? zeroOid(row.object_format) }
  await outsideGate(platform, row, () => repository.updateRefs([update])).catch((error: unknown) => {
    // A pipeline that is retried long after its branch was deleted may have no commit any more.
    if (!(error instanceof GitError) || error.code !== 'object_missing') throw error
  })
}

/**
 * Points `refs/pipelines/<id>` at the commit of a pipeline, so that its jobs can fetch it (contract 04, "Pipelines from Git
 * and other parts").
 */
export function keepRef(
  platform: Platform,
  { id, project_id, sha }: Pick<PipelineRow, 'id' | 'project_id' | 'sha'>,
): Promise<void> {
  return writeRef(platform, project_id, id, parseOid(sha))
}

/** Creates the ref of a pipeline again, unless it has finished. */
async function renewRef(platform: Platform, pipelineId: number): Promise<void> {
  const current = await pipelineById(platform.database.read, pipelineId)
  if (current?.finished_at === null) await keepRef(platform, current)
}

/** Does work that makes jobs of a pipeline run, which may have finished: its ref exists before and afterwards. */
export async function keepingRef(platform: Platform, pipelineId: number, work: () => Promise<void>): Promise<void> {
  const pipeline = await pipelineById(platform.database.read, pipelineId)
  if (pipeline && pipeline.finished_at !== null) await keepRef(platform, pipeline)
  await work()
  // The job that removes the refs of finished pipelines may have run meanwhile.
  await renewRef(platform, pipelineId)
}

/** Removes the ref of a pipeline that has finished or was deleted. */
export const releaseRefJob: Job<OfPipeline> = {
  kind: kinds.releaseRef,
  queue: 'pipelines',
  async run(platform, { pipelineId, projectId }) {
    const { database } = platform
    const isUnfinished = async () => (await pipelineById(database.read, pipelineId))?.finished_at === null
    if (await isUnfinished()) return
    await writeRef(platform, projectId, pipelineId, null)
    // It may have been retried meanwhile.
    await renewRef(platform, pipelineId)
  },
}
