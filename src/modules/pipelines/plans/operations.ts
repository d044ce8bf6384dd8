import { reading, Type } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { pipelineId } from '../core/params.ts'
import { jobId } from '../jobs/params.ts'
import { definitionOfJob, planOfPipeline } from './plans.ts'
import { DefinedJob, PlannedJob } from './present.ts'

export const pipelinesPlan = operation({
  tag: 'Pipelines',
  subject: project,
  method: 'GET',
  allow: 'read_pipelines',
  scopes: reading,
  id: 'pipelines.plan',
  contract: 'x.pipelines_plan',
  path: '/projects/:id/pipelines/:pipeline_id/plan',
  summary: 'List the latest jobs of a pipeline by stages, with what they wait for',
  params: pipelineId,
  result: [200, Type.Array(PlannedJob)],
  run: ({ platform, subject, actor, params }) => planOfPipeline(platform, subject, actor, params.pipeline_id),
})

export const jobsDefinition = operation({
  tag: 'Jobs',
  subject: project,
  method: 'GET',
  allow: 'read_jobs',
  scopes: reading,
  id: 'jobs.definition',
  contract: 'x.jobs_definition',
  path: '/projects/:id/jobs/:job_id/definition',
  summary: 'Get what a job was planned to do',
  params: jobId,
  result: [200, DefinedJob],
  run: ({ platform, subject, actor, params }) => definitionOfJob(platform, subject, actor, params.job_id),
})
