import { instance, nothing, pageOf, reading, Type, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { deleteJob, jobFilter, jobPath, listJobs, listQueues, retryJob } from './jobs.ts'
import { BackgroundJob, BackgroundQueue } from './present.ts'

const shared = { tag: 'Background jobs', subject: instance, allow: 'administrator' } as const

export const backgroundJobsList = operation({
  ...shared,
  scopes: reading,
  id: 'background_jobs.list',
  contract: 'x.background_jobs',
  method: 'GET',
  path: '/admin/background_jobs',
  summary: 'List background jobs',
  description: 'Those that wait, run or have failed; the latest first.',
  params: jobFilter,
  result: [200, pageOf(BackgroundJob)],
  run: ({ platform, params, page }) => listJobs(platform, params, page),
})

export const backgroundQueuesList = operation({
  ...shared,
  scopes: reading,
  id: 'background_queues.list',
  contract: 'x.background_queues',
  method: 'GET',
  path: '/admin/background_queues',
  summary: 'Count the background jobs of each queue',
  result: [200, Type.Array(BackgroundQueue)],
  run: ({ platform }) => listQueues(platform),
})

export const backgroundJobsRetry = operation({
  ...shared,
  scopes: writing,
  id: 'background_jobs.retry',
  contract: 'x.background_job_retry',
  method: 'POST',
  path: '/admin/background_jobs/:id/retry',
  summary: 'Run a failed background job again',
  params: jobPath,
  result: [201, BackgroundJob],
  run: ({ platform, params, act }) => retryJob(platform, params.id, act),
})

export const backgroundJobsDelete = operation({
  ...shared,
  scopes: writing,
  id: 'background_jobs.delete',
  contract: 'x.background_job_delete',
  method: 'DELETE',
  path: '/admin/background_jobs/:id',
  summary: 'Forget a failed background job',
  params: jobPath,
  result: [204, nothing],
  run: ({ platform, params, act }) => deleteJob(platform, params.id, act),
})
