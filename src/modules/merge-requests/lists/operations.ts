import { instance, pageOf, reading, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../../groups/index.ts'
import { atProjectAndGroup, project } from '../../projects/index.ts'
import { ListedMergeRequest, MergeRequestBasic } from '../core/schema.ts'
import { listMergeRequests, listOfMilestone } from './lists.ts'
import { exclusiveFilters, listFilters, wideFilters } from './params.ts'

const both = ['asc', 'desc'] as const
const common = {
  tag: 'Merge requests',
  method: 'GET',
  scopes: reading,
  exclusive: exclusiveFilters,
  list: {
    keyset: { created_at: both, updated_at: both, id: both },
    keysetDefault: { orderBy: 'created_at', sort: 'desc' },
    offsetLimitOf: 'MergeRequest',
  },
  result: [200, pageOf(ListedMergeRequest)],
} as const

export const mergeRequestsList = operation({
  ...common,
  id: 'merge_requests.list',
  contract: 'x.mr_list_all',
  path: '/merge_requests',
  summary: 'List the merge requests that the caller can see',
  description: 'Anonymous callers need `scope=all`, and get those of public projects.',
  subject: instance,
  allow: 'public',
  params: wideFilters,
  run: ({ page, ...asked }) => listMergeRequests({ ...asked, parent: {} }, page) as never,
})

export const groupMergeRequestsList = operation({
  ...common,
  id: 'group_merge_requests.list',
  contract: 'x.mr_list_group',
  path: '/groups/:id/merge_requests',
  summary: 'List the merge requests of a group and of the groups below it',
  subject: group,
  allow: 'read_group',
  params: wideFilters,
  run: ({ page, subject, ...asked }) => listMergeRequests({ ...asked, parent: { group: subject } }, page) as never,
})

export const projectMergeRequestsList = operation({
  ...common,
  id: 'project_merge_requests.list',
  contract: 'x.mr_list',
  jobToken: true,
  path: '/projects/:id/merge_requests',
  summary: 'List the merge requests of a project',
  subject: project,
  allow: 'read_merge_requests',
  params: listFilters,
  run: ({ page, subject, ...asked }) => listMergeRequests({ ...asked, parent: { project: subject } }, page) as never,
})

/** Merge requests of a milestone (contract 17, x.milestone_mrs and its twin). */
export const milestoneMergeRequests = atProjectAndGroup(({ kind, path, subject }) => [
  operation({
    id: `${kind}_milestone_merge_requests.list`,
    contract: kind === 'project' ? 'x.milestone_mrs' : 'x.group_milestone_mrs',
    method: 'GET',
    path: `${path}/milestones/:milestone_id/merge_requests`,
    tag: 'Milestones',
    summary: `List the merge requests of a milestone of a ${kind}`,
    subject,
    allow: 'read_milestones',
    scopes: reading,
    params: { milestone_id: t.id() },
    result: [200, pageOf(MergeRequestBasic)],
    run: ({ platform, subject, actor, params, page }) =>
      listOfMilestone(platform, subject, actor, params.milestone_id, page),
  }),
])
