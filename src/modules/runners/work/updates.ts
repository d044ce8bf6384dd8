import { forbidden } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type CiJobRow, finishJob, jobById, traceSize } from '../../pipelines/index.ts'
import { requireActive, requireActiveJob } from '../protocol/credentials.ts'
import { recordHeartbeat } from './heartbeat.ts'

/** What a runner reports of a job. */
export type JobUpdate = {
  state?: 'running' | 'success' | 'failed' | undefined
  failureReason?: string | undefined
  exitCode?: number | undefined
  /** Number of bytes of the log that the runner has written. */
  traceBytes?: number | undefined
}

/** A log that is not complete is only noted: the end of a job does not wait for it. */
async function checkTrace(platform: Platform, job: CiJobRow, traceBytes: number | undefined): Promise<void> {
  if (traceBytes === undefined) return
  const storedBytes = await traceSize(platform, job.id)
  if (storedBytes !== traceBytes) platform.log.warn({ job: job.id, storedBytes, traceBytes }, 'a log is incomplete')
}

/**
 * Records the state of a job (contract 04, x.runner_job_update).
 * @returns the job afterwards
 * @throws ApiError 403
 */
export async function updateJob(
  platform: Platform,
  id: number,
  token: string,
  { state = 'running', failureReason, exitCode, traceBytes }: JobUpdate,
): Promise<CiJobRow> {
  const job = await requireActiveJob(platform, id, token)
  if (state === 'running') {
    await recordHeartbeat(platform, job)
    return job
  }
  await checkTrace(platform, job, traceBytes)
  const ended = await finishJob(platform, job, { state, failureReason, exitCode })
  if (ended) return ended
  // It was ended meanwhile.
  const current = await jobById(platform.database.read, id)
  if (current) requireActive(current)
  throw forbidden()
}
