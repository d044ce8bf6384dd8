import { ApiError, forbidden, header, instance, type RequestInfo } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { hashToken } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type CiJobRow, isActive, jobByTokenDigest } from '../../pipelines/index.ts'
import { runnerByDigest } from '../core/store.ts'
import type { RunnerRow } from '../tables.ts'

/** The runner of an authentication token (contract 04, "Runner protocol"). @throws ApiError 403 */
export async function requireRunner({ database, clock }: Platform, token: string): Promise<RunnerRow> {
  const row = await runnerByDigest(database.read, hashToken(token))
  if (!row || (row.token_expires_at !== null && row.token_expires_at <= now(clock))) throw forbidden()
  return row
}

/** The token of a job in a request: a header, or a parameter. */
export function jobTokenOf(request: RequestInfo, parameter?: string | undefined): string {
  return header(request, 'job-token') || parameter || ''
}

/** The job of a token, whatever its state. @throws ApiError 403 */
export async function requireJobOfToken({ database }: Platform, token: string): Promise<CiJobRow> {
  const job = token === '' ? null : await jobByTokenDigest(database.read, hashToken(token))
  if (!job) throw forbidden()
  return job
}

const notRunning = (reason: string, status: string) =>
  new ApiError('job_not_running', 403, { message: `403 Forbidden - ${reason}` }, { 'Job-Status': status })

/** @throws ApiError 403 unless a runner works on the job */
export function requireActive({ status, erased_at }: Pick<CiJobRow, 'status' | 'erased_at'>): void {
  if (erased_at !== null) throw notRunning('Job has been erased!', status)
  if (!isActive(status)) throw notRunning('Job is not running', status)
}

/** The job of the path, on which the sender of its token works. @throws ApiError 403, with the status of the job */
export async function requireActiveJob(platform: Platform, id: number, token: string): Promise<CiJobRow> {
  const job = await requireJobOfToken(platform, token)
  if (job.id !== id) throw forbidden()
  requireActive(job)
  return job
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** The instance, for callers with the token of a job: it is checked before parameters (contract 00, "Order of checks"). */
export const forJobs: typeof instance = {
  ...instance,
  identifiesCaller: true,
  async find(platform, request) {
    await requireJobOfToken(platform as Platform, jobTokenOf(request, textOf(request.raw.token)))
    return undefined
  },
}

/** The instance, for callers with the token of a runner. One that is missing is refused as a parameter. */
export const forRunners: typeof instance = {
  ...instance,
  async find(platform, request) {
    const token = textOf(request.raw.token)
    if (token !== undefined) await requireRunner(platform as Platform, token)
    return undefined
  },
}
