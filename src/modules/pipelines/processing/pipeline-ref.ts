import { GitError, parseOid, refName, zeroOid } from '../../../infra/git/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { openRow, repositoryOfProject } from '../../../platform/repositories/index.ts'
import type { PipelineRow } from '../tables.ts'
import { kinds, type OfPipeline } from './later.ts'
import { pipelineById } from './store/states.ts'

type Referenced = Pick<PipelineRow, 'id' | 'project_id' | 'sha'>

/** Points `refs/pipelines/<id>` at the commit, or removes it. */
async function writeRef(platform: Platform, { id, project_id, sha }: Referenced, isKept: boolean): Promise<void> {
  const row = await repositoryOfProject(platform.database.read, project_id)
  const ref = refName(`refs/pipelines/${id}`)
  const commit = parseOid(sha)
  if (!row || !ref || !commit) return
  const repository = await openRow(platform, row)
  const update = { ref, old: null, new: isKept ? commit : zeroOid(row.object_format) }
  await repository.updateRefs([update]).catch((error: unknown) => {
    // A pipeline that is retried long after its branch was deleted may have no commit any more.
    if (!(error instanceof GitError) || error.code !== 'object_missing') throw error
  })
}

/** Keeps the commit of a pipeline in the repository, so that its jobs can fetch it (contract 04, `refs/pipelines`). */
export function keepRef(platform: Platform, pipeline: Referenced): Promise<void> {
  return writeRef(platform, pipeline, true)
}

/** Removes the ref of a pipeline that has been deleted. */
export function dropRef(platform: Platform, pipeline: Referenced): Promise<void> {
  return writeRef(platform, pipeline, false)
}

/** Removes the ref of a pipeline that has finished. */
export const releaseRefJob: Job<OfPipeline> = {
  kind: kinds.releaseRef,
  queue: 'pipelines',
  async run(platform, { pipelineId }) {
    const { database } = platform
    const pipeline = await pipelineById(database.read, pipelineId)
    if (!pipeline || pipeline.finished_at === null) return
    await dropRef(platform, pipeline)
    // It may have been retried meanwhile.
    const current = await pipelineById(database.read, pipelineId)
    if (current && current.finished_at === null) await keepRef(platform, current)
  },
}
