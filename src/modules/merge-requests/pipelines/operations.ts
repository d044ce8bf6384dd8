import { pageOf, reading, statusNumber, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { BasicPipeline, Pipeline } from '../../pipelines/index.ts'
import { merge_request_iid } from '../core/params.ts'
import { mergeRequest } from '../subject.ts'
import { requestPipeline } from './creation.ts'
import { listPipelines } from './pipelines.ts'

export const mergeRequestsPipelines = operation({
  id: 'merge_requests.pipelines',
  contract: 'x.mr_pipelines',
  method: 'GET',
  path: '/projects/:id/merge_requests/:merge_request_iid/pipelines',
  tag: 'Merge requests',
  summary: 'List the pipelines of the commits of a merge request',
  subject: mergeRequest,
  allow: 'read_merge_requests',
  scopes: reading,
  params: { merge_request_iid },
  result: [200, pageOf(BasicPipeline)],
  run: ({ platform, subject, actor, page }) => listPipelines(platform, subject, actor, page),
})

export const mergeRequestsCreatePipeline = operation({
  id: 'merge_requests.create_pipeline',
  contract: 'x.mr_pipeline_create',
  method: 'POST',
  path: '/projects/:id/merge_requests/:merge_request_iid/pipelines',
  tag: 'Merge requests',
  summary: 'Create a pipeline for the head of a merge request',
  description: 'With the jobs whose `rules` or `only` ask for merge requests.',
  subject: mergeRequest,
  allow: 'run_pipelines',
  scopes: writing,
  params: { merge_request_iid, async: t.boolean({ description: 'Whether it is created in the background.' }) },
  result: [201, Type.Union([Pipeline, statusNumber])],
  answers: { 202: ['It is created in the background.', statusNumber] },
  async run({ platform, subject, actor, params, setStatus }) {
    const pipeline = await requestPipeline(platform, subject, actor, { isLater: params.async === true })
    if (pipeline) return pipeline
    setStatus(202)
    return 202
  },
})
