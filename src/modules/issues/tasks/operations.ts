import { t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { issue } from '../core/access.ts'
import { IssueObject } from '../present/schema.ts'
import { changeTask } from './tasks.ts'

export const issueTasksUpdate = operation({
  id: 'issue_tasks.update',
  contract: 'x.issue_task_update',
  method: 'PUT',
  path: '/projects/:id/issues/:issue_iid/tasks/:line_number',
  tag: 'Issues',
  summary: 'Complete a checklist item of the description of an issue',
  subject: issue,
  allow: 'take_part_in_issues',
  scopes: writing,
  params: {
    line_number: t.id(),
    completed: t.boolean({ description: 'Default: the other state than the present one.' }),
    description_sha256: t.string({
      description: 'Of the description that the line is of; 409 when it is another one.',
    }),
  },
  result: [200, IssueObject],
  run: ({ platform, subject, actor, params }) => changeTask(platform, subject, actor, params),
})
