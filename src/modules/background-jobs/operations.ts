import { instance, nothing, pageOf, reading, Type, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { deleteJob, jobFilter, jobPath, listJobs, listQueues, retryJob } from './jobs.ts'
import {
  JobMetrics,
  JobStats,
  jobMetrics,
  jobStats,
  ProcessMetrics,
  processMetrics,
  QueueMetrics,
  queueMetrics,
} from './metrics.ts'
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

const measured = { ...shared, method: 'GET', scopes: reading } as const

export const sidekiqQueueMetrics = operation({
  ...measured,
  id: 'sidekiq.queue_metrics',
  contract: 'x.sidekiq_queues',
  path: '/sidekiq/queue_metrics',
  summary: 'Count what waits in each queue of background jobs',
  result: [200, QueueMetrics],
  run: ({ platform }) => queueMetrics(platform),
})

export const sidekiqProcessMetrics = operation({
  ...measured,
  id: 'sidekiq.process_metrics',
  contract: 'x.sidekiq_processes',
  path: '/sidekiq/process_metrics',
  summary: 'List the processes that run background jobs',
  description: 'The one that answers, and the others that run jobs now.',
  result: [200, ProcessMetrics],
  run: ({ platform }) => processMetrics(platform),
})

export const sidekiqJobStats = operation({
  ...measured,
  id: 'sidekiq.job_stats',
  contract: 'x.sidekiq_jobs',
  path: '/sidekiq/job_stats',
  summary: 'Count background jobs and their runs',
  result: [200, JobStats],
  run: ({ platform }) => jobStats(platform),
})

export const sidekiqCompoundMetrics = operation({
  ...measured,
  id: 'sidekiq.compound_metrics',
  contract: 'x.sidekiq_compound',
  path: '/sidekiq/compound_metrics',
  summary: 'Read all numbers of background jobs',
  result: [200, JobMetrics],
  run: ({ platform }) => jobMetrics(platform),
})
