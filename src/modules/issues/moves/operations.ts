import { t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { namedIssue } from '../core/access.ts'
import { IssueObject } from '../present/schema.ts'
import { cloneIssue, moveIssue } from './move.ts'

// The operations refuse callers who do not plan with sentences of their own (contract 16, x.issue_move).
const shared = {
  tag: 'Issues',
  subject: namedIssue,
  allow: 'take_part_in_issues',
  scopes: writing,
  method: 'POST',
  description: 'For callers who plan issues in both projects.',
} as const

const to_project_id = t.required(t.integer())

export const issuesMove = operation({
  ...shared,
  id: 'issues.move',
  contract: 'x.issue_move',
  path: '/projects/:id/issues/:issue_iid/move',
  summary: 'Move an issue to another project',
  params: { to_project_id },
  result: [201, IssueObject],
  run: ({ platform, subject, actor, params }) => moveIssue(platform, subject, actor, params.to_project_id),
})

export const issuesClone = operation({
  ...shared,
  id: 'issues.clone',
  contract: 'x.issue_clone',
  path: '/projects/:id/issues/:issue_iid/clone',
  summary: 'Copy an issue into the same or another project',
  params: { to_project_id, with_notes: t.boolean({ description: 'Copy the notes too; default false.' }) },
  result: [201, IssueObject],
  run: ({ platform, subject, actor, params }) =>
    cloneIssue(platform, subject, actor, { projectId: params.to_project_id, withNotes: params.with_notes ?? false }),
})
