import { anything, instance, pageOf, raw, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { pipelineId } from '../core/params.ts'
import * as jobs from './jobs.ts'
import { jobFilter, jobId, jobToCancel, jobToPlay, pipelineJobs } from './params.ts'
import { JobObject } from './present.ts'

const path = '/projects/:id/jobs'
const shared = { tag: 'Jobs', subject: project } as const
const reads = { ...shared, method: 'GET', allow: 'read_jobs', scopes: reading } as const
const runs = { ...shared, method: 'POST', allow: 'run_pipelines', scopes: writing } as const

export const pipelinesJobs = operation({
  ...reads,
  id: 'pipelines.jobs',
  contract: 'x.pipelines_jobs',
  path: '/projects/:id/pipelines/:pipeline_id/jobs',
  summary: 'List the jobs of a pipeline',
  allow: 'read_pipelines',
  jobToken: true,
  params: pipelineJobs,
  result: [200, pageOf(JobObject)],
  run: ({ platform, subject, actor, params: { pipeline_id, ...filter }, page }) =>
    jobs.jobsOfPipeline(platform, subject, actor, { pipelineId: pipeline_id, filter }, page),
})

export const pipelinesBridges = operation({
  ...reads,
  id: 'pipelines.bridges',
  contract: 'x.pipelines_bridges',
  path: '/projects/:id/pipelines/:pipeline_id/bridges',
  summary: 'List the jobs of a pipeline that start other pipelines: none, since they are not supported',
  allow: 'read_pipelines',
  params: pipelineId,
  result: [200, pageOf(anything)],
  run: ({ platform, subject, actor, params }) => jobs.bridgesOfPipeline(platform, subject, actor, params.pipeline_id),
})

export const jobsList = operation({
  ...reads,
  id: 'jobs.list',
  contract: 'x.jobs_list',
  path,
  summary: 'List the jobs of a project',
  jobToken: true,
  params: jobFilter,
  list: { keyset: { id: ['desc'] } },
  result: [200, pageOf(JobObject)],
  run: ({ platform, subject, actor, params, page }) => jobs.listJobs(platform, subject, actor, params, page),
})

export const jobsCurrent = operation({
  ...reads,
  id: 'jobs.current',
  contract: 'x.job_current',
  path: '/job',
  subject: instance,
  allow: 'authenticated',
  summary: 'Get the job of the job token that is used',
  jobToken: true,
  result: [200, JobObject],
  run: ({ platform, actor }) => jobs.currentJob(platform, actor),
})

export const jobsGet = operation({
  ...reads,
  id: 'jobs.get',
  contract: 'x.jobs_get',
  path: `${path}/:job_id`,
  summary: 'Get a job',
  params: jobId,
  result: [200, JobObject],
  run: ({ platform, subject, actor, params }) => jobs.getJob(platform, subject, actor, params.job_id),
})

export const jobsTrace = operation({
  ...reads,
  id: 'jobs.trace',
  contract: 'x.jobs_trace',
  path: `${path}/:job_id/trace`,
  summary: 'Get the log of a job',
  params: jobId,
  result: [200, { ...raw, mediaType: 'text/plain' }],
  answers: { 206: 'The bytes that the header `Range` selects.', 416: 'The log has no byte of the range' },
  run: ({ platform, subject, actor, params, request, setStatus }) =>
    jobs.jobTrace(platform, subject, actor, params.job_id, { request, setStatus }),
})

export const jobsPlay = operation({
  ...runs,
  id: 'jobs.play',
  contract: 'x.jobs_play',
  path: `${path}/:job_id/play`,
  summary: 'Start a manual or delayed job',
  params: jobToPlay,
  result: [200, JobObject],
  permits: ({ platform, subject, actor, params }) => jobs.requirePlayer(platform, subject, actor, params.job_id ?? 0),
  run: ({ platform, subject, actor, params: { job_id, ...given } }) =>
    jobs.playJob(platform, subject, actor, job_id, given),
})

export const jobsCancel = operation({
  ...runs,
  id: 'jobs.cancel',
  contract: 'x.jobs_cancel',
  path: `${path}/:job_id/cancel`,
  summary: 'Cancel a job',
  description: 'A job that has ended stays as it is.',
  params: jobToCancel,
  result: [201, JobObject],
  permits: ({ platform, subject, actor, params }) => jobs.requireCanceler(platform, subject, actor, params.job_id ?? 0),
  run: ({ platform, subject, actor, params: { job_id, force = false } }) =>
    jobs.cancelJob(platform, subject, actor, job_id, force),
})

export const jobsRetry = operation({
  ...runs,
  id: 'jobs.retry',
  contract: 'x.jobs_retry',
  path: `${path}/:job_id/retry`,
  summary: 'Replace a job that has ended by a new one',
  params: jobId,
  result: [201, JobObject],
  permits: ({ platform, subject, actor, params }) => jobs.requireRetrier(platform, subject, actor, params.job_id ?? 0),
  run: ({ platform, subject, actor, params }) => jobs.retryJob(platform, subject, actor, params.job_id),
})

export const jobsErase = operation({
  ...runs,
  id: 'jobs.erase',
  contract: 'x.jobs_erase',
  path: `${path}/:job_id/erase`,
  summary: 'Remove the log and the artifacts of a job',
  description: 'For maintainers, and for the developer who ran the job.',
  params: jobId,
  result: [201, JobObject],
  run: ({ platform, subject, actor, params }) => jobs.erase(platform, subject, actor, params.job_id),
})
