import { badRequest, forbidden } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { isFrozen } from '../../freeze-periods/index.ts'
import { beginPipeline } from '../processing/begin.ts'
import { transitionJob } from '../processing/job-changes.ts'
import { keepingRef } from '../processing/pipeline-ref.ts'
import { lockPipeline } from '../processing/process.ts'
import { resetDependants, retryJobs } from '../processing/restarts.ts'
import { jobById, pipelineById } from '../processing/store/states.ts'
import { isFinished } from '../processing/transitions.ts'
import type { CiJobRow, PipelineRow } from '../tables.ts'

type JobKey = Pick<CiJobRow, 'id' | 'pipeline_id'>

/** @throws ApiError 400 unless the job is manual or delayed */
export function requirePlayable({ status, retried }: CiJobRow): void {
  if (retried || (status !== 'manual' && status !== 'scheduled')) throw badRequest('Unplayable Job')
}

/** What is required of the job as it is under the lock of its pipeline, or done before it starts. */
type Before = (tx: Tx, job: CiJobRow) => Promise<void>

const nothing: Before = async () => {}

/**
 * Starts a manual or delayed job for a user.
 * @throws ApiError 400 when it is in another state
 */
export async function startManualJob(
  platform: Platform,
  { id, pipeline_id }: JobKey,
  userId: number | null,
  before: Before = nothing,
): Promise<void> {
  const play = async (tx: Tx) => {
    await lockPipeline(tx, pipeline_id)
    const current = await jobById(tx, id)
    if (!current) throw badRequest('Unplayable Job')
    requirePlayable(current)
    await before(tx, current)
    await resetDependants(platform, tx, pipeline_id, [current])
    const event = current.resource_group === null ? 'enqueue' : 'wait_for_resource'
    await transitionJob(platform, tx, current, event, { user_id: userId, start_at: null })
  }
  await keepingRef(platform, pipeline_id, () => platform.database.write(play))
}

const notRetryable = () => forbidden('Job is not retryable')

const isRetryable = ({ retried, status }: CiJobRow) => !retried && isFinished(status) && status !== 'skipped'

/** @throws ApiError 403 unless the job has ended, and was not replaced */
export function requireRetryable(job: CiJobRow): void {
  if (!isRetryable(job)) throw notRetryable()
}

/**
 * Replaces a job that has ended by a new one, for a user.
 * @returns the id of the new job
 * @throws ApiError 403 when it has not ended, or was replaced
 */
export async function replaceEndedJob(
  platform: Platform,
  pipeline: Pick<PipelineRow, 'id' | 'project_id' | 'sha'>,
  { id }: Pick<CiJobRow, 'id'>,
  userId: number | null,
  before: Before = nothing,
): Promise<number> {
  const frozen = await isFrozen(platform, platform.database.read, pipeline.project_id)
  const newId = await platform.database.write(async (tx) => {
    await lockPipeline(tx, pipeline.id)
    const current = await jobById(tx, id)
    if (!current) throw notRetryable()
    requireRetryable(current)
    await before(tx, current)
    const [created] = await retryJobs(platform, tx, pipeline.id, [current], { userId, frozen })
    return created
  })
  if (newId === undefined) throw notRetryable()
  await beginPipeline(platform, pipeline, [newId])
  return newId
}

/** Has a job run for a user, whatever has become of it: it is started, or replaced when it has ended. One that waits stays. */
export async function startAgain(platform: Platform, { id }: JobKey, userId: number | null): Promise<void> {
  const { read } = platform.database
  const job = await jobById(read, id)
  if (!job || job.retried) return
  if (job.status === 'manual' || job.status === 'scheduled') return startManualJob(platform, job, userId)
  const pipeline = isRetryable(job) ? await pipelineById(read, job.pipeline_id) : null
  if (pipeline) await replaceEndedJob(platform, pipeline, job, userId)
}
