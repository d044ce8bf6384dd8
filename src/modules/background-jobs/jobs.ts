import {
  conflict,
  type Page,
  type PageRequest,
  type ParamValues,
  pageOfRows,
  recordNotFound,
  t,
} from '../../api/index.ts'
import { now, type Tx } from '../../infra/database/index.ts'
import { countQueues, deleteFailedJob, jobById, selectJobs } from '../../infra/jobs/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import { BackgroundJob, BackgroundQueue, type PresentedJob } from './present.ts'

export const jobPath = { id: t.id() }

/** Parameters of x.background_jobs. */
export const jobFilter = {
  state: t.oneOf(['pending', 'running', 'failed'], { description: 'A job that has ended well is not kept.' }),
  queue: t.string({ description: 'The name of a queue.' }),
}
type JobFilter = ParamValues<typeof jobFilter>

/** A page of jobs (contract 20, x.background_jobs). */
export async function listJobs(platform: Platform, filter: JobFilter, page: PageRequest): Promise<Page<PresentedJob>> {
  const found = await pageOfRows(platform.database.read, selectJobs(platform.database.read, filter), page)
  return { ...found, items: found.items.map((row) => BackgroundJob.present(row)) }
}

/** The queues by their names (contract 20, x.background_queues). */
export async function listQueues({ database, jobs, clock }: Platform) {
  const counts = await countQueues(database.read, jobs.queues().toSorted(), now(clock))
  return counts.map((row) => BackgroundQueue.present(row))
}

/** @throws ApiError 404, and 409 for a job that has not failed */
async function requireFailed(tx: Tx, id: number): Promise<void> {
  const row = await jobById(tx, id)
  if (!row) throw recordNotFound()
  if (row.state !== 'failed') throw conflict('The job has not failed')
}

/** Lets a failed job run again, with all its attempts (contract 20, x.background_job_retry). @throws ApiError 404, 409 */
export async function retryJob({ database, jobs }: Platform, id: number, act: Act): Promise<PresentedJob> {
  return database.write(async (tx) => {
    await requireFailed(tx, id)
    const row = await jobs.retry(tx, id)
    if (!row) throw conflict('The same job waits or runs already')
    await act(tx, id)
    return BackgroundJob.present(row)
  })
}

/** Forgets a failed job (contract 20, x.background_job_delete). @throws ApiError 404, 409 */
export async function deleteJob({ database }: Platform, id: number, act: Act): Promise<void> {
  await database.write(async (tx) => {
    await requireFailed(tx, id)
    if (!(await deleteFailedJob(tx, id))) throw recordNotFound()
    await act(tx, id)
  })
}
