import { pageOf, reading } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { BasicPipeline } from '../../pipelines/index.ts'
import { merge_request_iid } from '../core/params.ts'
import { mergeRequest } from '../subject.ts'
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
