import { pageOf, reading } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { IssueBasic, ListedIssue } from '../../issues/index.ts'
import { merge_request_iid } from '../core/params.ts'
import { mergeRequest } from '../subject.ts'
import { listClosings, listRelated } from './closing.ts'

const path = '/projects/:id/merge_requests/:merge_request_iid'
const reads = {
  method: 'GET',
  tag: 'Merge requests',
  subject: mergeRequest,
  allow: 'read_merge_requests',
  scopes: reading,
  params: { merge_request_iid },
} as const

export const mergeRequestsCloses = operation({
  ...reads,
  id: 'merge_requests.closes_issues',
  contract: 'x.mr_closes',
  path: `${path}/closes_issues`,
  summary: 'List the issues that the merge closes',
  result: [200, pageOf(IssueBasic)],
  run: ({ platform, subject, actor, page }) => listClosings(platform, subject, actor, page),
})

export const mergeRequestsRelatedIssues = operation({
  ...reads,
  id: 'merge_requests.related_issues',
  contract: 'x.mr_related_issues',
  path: `${path}/related_issues`,
  summary: 'List the issues that a merge request mentions',
  result: [200, pageOf(ListedIssue)],
  run: ({ platform, subject, actor, page }) => listRelated(platform, subject, actor, page),
})
