import { instance, nothing, reading, recordNotFound, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { UserAgentDetail, userAgentDetail } from '../../spam/index.ts'
import { openIssue } from '../activity/opening.ts'
import { presentIssue } from '../present/present.ts'
import { IssueObject } from '../present/schema.ts'
import { issue, namedIssue, requireChange, requireDelete, requireHeard } from './access.ts'
import { allowedForNew } from './create.ts'
import { deleteIssue } from './delete.ts'
import { changeable, issueChanges, newIssue } from './params.ts'
import { issueById } from './store.ts'
import { allowedChanges, updateIssue } from './update.ts'

const tag = 'Issues'
const path = '/projects/:id/issues/:issue_iid'
const reads = { tag, subject: issue, allow: 'read_issues', scopes: reading } as const

export const issuesGetById = operation({
  id: 'issues.get_by_id',
  contract: 'x.issue_get_admin',
  method: 'GET',
  path: '/issues/:issue_id',
  tag,
  summary: 'Get an issue by its global id',
  subject: instance,
  allow: 'administrator',
  scopes: reading,
  params: { issue_id: t.id() },
  result: [200, IssueObject],
  async run({ platform, actor, params }) {
    const row = await issueById(platform.database.read, params.issue_id)
    if (!row) throw recordNotFound()
    return presentIssue(platform, row, actor)
  },
})

export const issuesGet = operation({
  ...reads,
  id: 'issues.get',
  contract: 'x.issue_get',
  method: 'GET',
  path,
  summary: 'Get an issue',
  result: [200, IssueObject],
  run: ({ platform, subject: { row }, actor }) => presentIssue(platform, row, actor),
})

export const issuesUserAgent = operation({
  ...reads,
  id: 'issues.user_agent_detail',
  contract: 'x.issue_user_agent',
  method: 'GET',
  path: `${path}/user_agent_detail`,
  summary: 'Get the user agent and address that created an issue',
  allow: 'administer',
  result: [200, UserAgentDetail],
  run: ({ platform, subject: { row } }) => userAgentDetail(platform, { type: 'Issue', id: row.id }),
})

export const issuesCreate = operation({
  id: 'issues.create',
  contract: 'x.issue_create',
  method: 'POST',
  path: '/projects/:id/issues',
  tag,
  summary: 'Create an issue',
  subject: project,
  allow: 'take_part_in_issues',
  scopes: writing,
  params: newIssue,
  exclusive: [['epic_id', 'epic_iid']],
  result: [201, IssueObject],
  permits: async ({ subject, actor, params }) =>
    requireHeard(params, allowedForNew(actor, subject, { title: '', ...params })),
  run: ({ platform, subject, actor, params, request }) => openIssue(platform, subject, actor, params, request),
})

export const issuesUpdate = operation({
  id: 'issues.update',
  contract: 'x.issue_update',
  method: 'PUT',
  path,
  tag,
  summary: 'Change, close or reopen an issue',
  subject: issue,
  allow: 'take_part_in_issues',
  scopes: writing,
  params: issueChanges,
  atLeastOne: changeable,
  alsoEnough: ['iteration_id', 'health_status', 'severity'],
  exclusive: [['epic_id', 'epic_iid']],
  result: [200, IssueObject],
  async permits({ subject, actor, params }) {
    requireChange(actor, subject)
    requireHeard(params, allowedChanges(actor, subject.project, params))
  },
  run: ({ platform, subject, actor, params, request }) => updateIssue(platform, subject, actor, params, request),
})

export const issuesDelete = operation({
  id: 'issues.delete',
  contract: 'x.issue_delete',
  method: 'DELETE',
  path,
  tag,
  summary: 'Delete an issue',
  description: 'For planners, owners and administrators.',
  subject: namedIssue,
  allow: 'plan_issues',
  scopes: writing,
  result: [204, nothing],
  permits: async ({ subject, actor }) => requireDelete(actor, subject),
  run: ({ platform, subject, actor, unmodified }) => deleteIssue(platform, subject, actor, unmodified),
})
