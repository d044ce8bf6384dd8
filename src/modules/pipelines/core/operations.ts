import { nothing, pageOf, reading, Type, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { pipelinesByDay as byDay, daysFilter, PipelineDay } from './days.ts'
import { latestPipeline, newPipeline, pipelineFilter, pipelineId, pipelineMetadata } from './params.ts'
import * as pipelines from './pipelines.ts'
import { ListedPipeline, Pipeline } from './present.ts'

const path = '/projects/:id/pipelines'
const shared = { tag: 'Pipelines', subject: project } as const
const reads = { ...shared, method: 'GET', allow: 'read_pipelines', scopes: reading } as const
const runs = { ...shared, allow: 'run_pipelines', scopes: writing } as const

export const pipelinesList = operation({
  ...reads,
  id: 'pipelines.list',
  contract: 'x.pipelines_list',
  path,
  summary: 'List the pipelines of a project',
  params: pipelineFilter,
  list: { keyset: { id: ['asc', 'desc'] } },
  result: [200, pageOf(ListedPipeline)],
  run: ({ platform, subject, actor, params, page }) => pipelines.listPipelines(platform, subject, actor, params, page),
})

export const pipelinesLatest = operation({
  ...reads,
  id: 'pipelines.latest',
  contract: 'x.pipelines_latest',
  path: `${path}/latest`,
  summary: 'Get the newest pipeline of the commit of a branch or tag',
  params: latestPipeline,
  result: [200, Pipeline],
  run: ({ platform, subject, actor, params }) => pipelines.latestPipeline(platform, subject, actor, params.ref),
})

export const pipelinesByDay = operation({
  ...reads,
  id: 'pipelines.by_day',
  contract: 'x.pipelines_by_day',
  path: `${path}/by_day`,
  summary: 'Count the pipelines of each of the last days',
  description: 'Of the newest 1,000 pipelines.',
  params: daysFilter,
  result: [200, Type.Array(PipelineDay)],
  run: ({ platform, subject, actor, params }) => byDay(platform, subject, actor, params),
})

export const pipelinesGet = operation({
  ...reads,
  id: 'pipelines.get',
  contract: 'x.pipelines_get',
  path: `${path}/:pipeline_id`,
  summary: 'Get a pipeline',
  params: pipelineId,
  result: [200, Pipeline],
  run: ({ platform, subject, actor, params }) => pipelines.getPipeline(platform, subject, actor, params.pipeline_id),
})

export const pipelinesCreate = operation({
  ...runs,
  id: 'pipelines.create',
  contract: 'x.pipelines_create',
  method: 'POST',
  path: '/projects/:id/pipeline',
  summary: 'Create a pipeline',
  description: 'Markers such as `[skip ci]` do not count.',
  params: newPipeline,
  result: [201, Pipeline],
  run: ({ platform, subject, actor, params }) => pipelines.requestPipeline(platform, subject, actor, params),
})

export const pipelinesCancel = operation({
  ...runs,
  id: 'pipelines.cancel',
  contract: 'x.pipelines_cancel',
  method: 'POST',
  path: `${path}/:pipeline_id/cancel`,
  summary: 'Cancel the jobs of a pipeline that have not ended',
  params: pipelineId,
  result: [200, Pipeline],
  run: ({ platform, subject, params }) => pipelines.cancel(platform, subject, params.pipeline_id),
})

export const pipelinesRetry = operation({
  ...runs,
  id: 'pipelines.retry',
  contract: 'x.pipelines_retry',
  method: 'POST',
  path: `${path}/:pipeline_id/retry`,
  summary: 'Retry the jobs of a pipeline that failed or were canceled',
  params: pipelineId,
  result: [201, Pipeline],
  run: ({ platform, subject, actor, params }) => pipelines.retry(platform, subject, actor, params.pipeline_id),
})

export const pipelinesDelete = operation({
  ...shared,
  id: 'pipelines.delete',
  contract: 'x.pipelines_delete',
  method: 'DELETE',
  path: `${path}/:pipeline_id`,
  summary: 'Delete a pipeline with its jobs, logs and artifacts',
  allow: 'delete_pipelines',
  scopes: writing,
  params: pipelineId,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified }) =>
    pipelines.deletePipeline(platform, subject, params.pipeline_id, unmodified),
})

const PipelineVariable = Type.Object(
  { variable_type: Type.String(), key: Type.String(), value: Type.String(), raw: Type.Boolean() },
  { title: 'PipelineVariable' },
)

export const pipelinesVariables = operation({
  ...reads,
  id: 'pipelines.variables',
  contract: 'x.pipelines_variables',
  path: `${path}/:pipeline_id/variables`,
  summary: 'List the variables of a pipeline',
  description: 'Those of its request, trigger or schedule. For maintainers, and for the developer who ran it.',
  allow: 'read_pipeline_variables',
  params: pipelineId,
  result: [200, Type.Array(PipelineVariable)],
  run: ({ platform, subject, actor, params }) =>
    pipelines.pipelineVariables(platform, subject, actor, params.pipeline_id),
})

export const pipelinesMetadata = operation({
  ...runs,
  id: 'pipelines.rename',
  contract: 'x.pipelines_metadata',
  jobToken: true,
  method: 'PUT',
  path: `${path}/:pipeline_id/metadata`,
  summary: 'Name a pipeline',
  params: pipelineMetadata,
  result: [200, Pipeline],
  run: ({ platform, subject, params }) => pipelines.rename(platform, subject, params.pipeline_id, params.name),
})
