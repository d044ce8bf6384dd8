import type { Tx } from '../../../infra/database/index.ts'
import { enqueue, type Job, type Platform } from '../../../platform/index.ts'

/** The kinds of the jobs that follow changes of pipelines; each is defined where its work is. */
export const kinds = {
  assignResource: 'pipelines.assign_resource',
  releaseRef: 'pipelines.release_ref',
  finishTrace: 'pipelines.finish_trace',
} as const

export type ResourceGroup = { projectId: number; group: string }
export type OfPipeline = { pipelineId: number; projectId: number }
export type OfJob = { jobId: number }

/** Has the resources of these jobs assigned after the transaction. The assignments of one group run one after another. */
export async function assignResourcesLater(
  platform: Platform,
  tx: Tx,
  projectId: number,
  jobs: readonly { resource_group: string | null }[],
): Promise<void> {
  const kind = kinds.assignResource
  for (const group of new Set(jobs.flatMap(({ resource_group }) => resource_group ?? []))) {
    const orderKey = `${kind}:${projectId}:${group}`
    await enqueue(platform, tx, { kind } as Job<ResourceGroup>, { projectId, group }, { orderKey })
  }
}

/** Has the ref of a pipeline that finished or was deleted removed after the transaction. */
export async function releaseRefLater(
  platform: Platform,
  tx: Tx,
  { id, project_id }: { id: number; project_id: number },
): Promise<void> {
  const payload = { pipelineId: id, projectId: project_id }
  await enqueue(platform, tx, { kind: kinds.releaseRef } as Job<OfPipeline>, payload)
}

/** Has the logs of jobs that ended joined after the transaction. */
export async function finishTracesLater(platform: Platform, tx: Tx, jobIds: readonly number[]): Promise<void> {
  for (const jobId of jobIds) await enqueue(platform, tx, { kind: kinds.finishTrace } as Job<OfJob>, { jobId })
}
