import { t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { namedIssue } from '../core/access.ts'
import { IssueObject } from '../present/schema.ts'
import { reorderIssue } from './reorder.ts'

export const issuesReorder = operation({
  id: 'issues.reorder',
  contract: 'x.issue_reorder',
  method: 'PUT',
  path: '/projects/:id/issues/:issue_iid/reorder',
  tag: 'Issues',
  summary: 'Change the place of an issue in the manual order',
  subject: namedIssue,
  allow: 'plan_issues',
  scopes: writing,
  params: {
    move_after_id: t.integer({ description: 'Global id of the issue behind which it is placed.' }),
    move_before_id: t.integer({ description: 'Global id of the issue before which it is placed.' }),
  },
  atLeastOne: ['move_after_id', 'move_before_id'],
  result: [200, IssueObject],
  run: ({ platform, subject, actor, params }) => reorderIssue(platform, subject, actor, params),
})
