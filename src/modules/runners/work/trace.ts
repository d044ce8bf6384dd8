import { ApiError, failure } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { appendTrace, failJob } from '../../pipelines/index.ts'
import { requireActiveJob } from '../protocol/credentials.ts'
import { recordHeartbeat } from './heartbeat.ts'
import { maskedValues } from './masking.ts'

/** A part of a log, as the runner sends it. */
export type TracePart = { token: string; contentRange: string | undefined; bytes: Buffer }

const rangeOf = (sizeBytes: number) => `0-${sizeBytes}`

const notSatisfiable = (sizeBytes: number, status: string) =>
  new ApiError(
    'range_not_satisfiable',
    416,
    { message: '416 Range Not Satisfiable' },
    { Range: rangeOf(sizeBytes), 'Job-Status': status },
  )

const tooLong = (status: string) =>
  new ApiError('trace_too_long', 403, { message: '403 Forbidden' }, { 'Job-Status': status })

/** Position of the first byte; NaN when the header has another form. */
function firstByteOf(contentRange: string): number {
  const [, first] = /^(?:bytes )?(\d{1,15})-\d*(?:\/\S*)?$/.exec(contentRange.trim()) ?? []
  return first === undefined ? Number.NaN : Number(first)
}

/**
 * Appends to the log of a job (contract 04, x.runner_job_trace).
 * @returns the job, and the range of bytes that is stored
 * @throws ApiError 400, 403, 416
 */
export async function patchTrace(platform: Platform, id: number, { token, contentRange, bytes }: TracePart) {
  const job = await requireActiveJob(platform, id, token)
  if (contentRange === undefined) throw failure(400, '400 Missing header Content-Range')
  const masked = await maskedValues(platform, job, token)
  const { outcome, sizeBytes } = await appendTrace(platform, job, firstByteOf(contentRange), bytes, masked)
  if (outcome === 'gap') throw notSatisfiable(sizeBytes, job.status)
  if (outcome === 'too_large') {
    await failJob(platform, job, 'trace_size_exceeded')
    throw tooLong('failed')
  }
  await recordHeartbeat(platform, job)
  return { job, range: rangeOf(sizeBytes) }
}
