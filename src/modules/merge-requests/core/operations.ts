import { nothing, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { openMergeRequest } from '../conversation/opening.ts'
import { mergeRequest } from '../subject.ts'
import { changedMergeRequest, changeNames, extras, merge_request_iid, newMergeRequest } from './params.ts'
import { MergeRequest } from './schema.ts'
import { getMergeRequest } from './single.ts'
import { changeMergeRequest, removeMergeRequest, requireHeard } from './update.ts'

const tag = 'Merge requests'
const path = '/projects/:id/merge_requests'
const single = { path: `${path}/:merge_request_iid`, tag, subject: mergeRequest } as const

export const mergeRequestsGet = operation({
  ...single,
  id: 'merge_requests.get',
  contract: 'x.mr_get',
  jobToken: true,
  method: 'GET',
  summary: 'Get a merge request',
  allow: 'read_merge_requests',
  scopes: reading,
  params: { merge_request_iid, ...extras },
  result: [200, MergeRequest],
  run: ({ platform, subject, actor, params }) => getMergeRequest(platform, subject, actor, params),
})

export const mergeRequestsCreate = operation({
  id: 'merge_requests.create',
  contract: 'x.mr_create',
  method: 'POST',
  path,
  tag,
  summary: 'Create a merge request',
  subject: project,
  allow: 'create_merge_requests',
  scopes: writing,
  params: newMergeRequest,
  result: [201, MergeRequest],
  run: ({ platform, subject, actor, params }) => openMergeRequest(platform, subject, actor, params),
})

export const mergeRequestsUpdate = operation({
  ...single,
  id: 'merge_requests.update',
  contract: 'x.mr_update',
  method: 'PUT',
  summary: 'Change, close or reopen a merge request',
  description: 'For developers, and for its author. Labels, milestone, assignees and reviewers only for developers.',
  allow: 'update_merge_requests',
  scopes: writing,
  params: { merge_request_iid, ...changedMergeRequest },
  atLeastOne: changeNames,
  result: [200, MergeRequest],
  permits: async ({ subject, actor, params }) => requireHeard(actor, subject, params),
  run: ({ platform, subject, actor, params }) => changeMergeRequest(platform, subject, actor, params),
})

export const mergeRequestsDelete = operation({
  ...single,
  id: 'merge_requests.delete',
  contract: 'x.mr_delete',
  method: 'DELETE',
  summary: 'Delete a merge request; its branches stay',
  allow: 'delete_merge_requests',
  scopes: writing,
  params: { merge_request_iid },
  result: [204, nothing],
  run: ({ platform, subject, unmodified }) => removeMergeRequest(platform, subject, unmodified),
})
