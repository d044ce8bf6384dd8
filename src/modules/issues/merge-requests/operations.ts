import { anything, pageOf, reading } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { issue } from '../core/access.ts'

const shared = {
  tag: 'Issues',
  subject: issue,
  allow: 'read_issues',
  scopes: reading,
  method: 'GET',
} as const

export const issueRelatedMergeRequests = operation({
  ...shared,
  id: 'issue_related_merge_requests.list',
  contract: 'x.issue_related_mrs',
  path: '/projects/:id/issues/:issue_iid/related_merge_requests',
  summary: 'List the merge requests that mention an issue',
  result: [200, pageOf(anything)],
  run: ({ platform, subject: { row }, actor, page }) =>
    platform.ports['issues.related_merge_requests'](platform, row, actor, page),
})

export const issueClosedBy = operation({
  ...shared,
  id: 'issue_closed_by.list',
  contract: 'x.issue_closed_by',
  path: '/projects/:id/issues/:issue_iid/closed_by',
  summary: 'List the merge requests that close an issue on merge',
  result: [200, pageOf(anything)],
  run: ({ platform, subject: { row }, actor, page }) => platform.ports['issues.closed_by'](platform, row, actor, page),
})
