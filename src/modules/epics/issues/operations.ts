import { forms, pageOf, reading, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { IssueBasic, ListedIssue } from '../../issues/index.ts'
import { epic } from '../core/access.ts'
import { pathsBelowEpic } from '../core/params.ts'
import { Epic } from '../core/present.ts'
import { addEpicIssue, listEpicIssues, moveEpicIssue, removeEpicIssue } from './epic-issues.ts'

const association = { epic_issue_id: forms.id, relative_position: forms.nullableInteger }

/** An issue of an epic (contract 17, EpicIssue). */
const EpicIssue = Type.Object({ ...ListedIssue.properties, ...association }, { title: 'EpicIssue' })

/** The association of an issue with an epic (contract 17, EpicIssueLink). */
const EpicIssueLink = Type.Object(
  { id: forms.id, epic: Epic, issue: IssueBasic, relative_position: forms.nullableInteger },
  { title: 'EpicIssueLink' },
)

const shared = { tier: 'premium', tag: 'Epics', deprecated: true, subject: epic } as const
const writes = { ...shared, allow: 'assign_epic_issues', scopes: writing } as const
const place = (side: string) =>
  t.integer({ description: `The id of an association of this epic; the issue goes ${side} it.` })

export const epicIssuesList = operation({
  ...shared,
  ...pathsBelowEpic('issues'),
  id: 'epic_issues.list',
  contract: 'x.epic_issue_list',
  method: 'GET',
  summary: 'List the issues of an epic in their manual order',
  allow: 'read_epics',
  scopes: reading,
  result: [200, pageOf(EpicIssue)],
  run: ({ platform, subject, actor, page }) => listEpicIssues(platform, subject, actor, page),
})

export const epicIssuesAdd = operation({
  ...writes,
  ...pathsBelowEpic('issues/:issue_id'),
  id: 'epic_issues.add',
  contract: 'x.epic_issue_add',
  method: 'POST',
  summary: 'Assign an issue to an epic',
  params: { issue_id: t.id() },
  result: [201, EpicIssueLink],
  run: ({ platform, subject, actor, params }) => addEpicIssue(platform, subject, params.issue_id, actor),
})

export const epicIssuesRemove = operation({
  ...writes,
  ...pathsBelowEpic('issues/:epic_issue_id'),
  id: 'epic_issues.remove',
  contract: 'x.epic_issue_remove',
  method: 'DELETE',
  summary: 'Take an issue from an epic',
  params: { epic_issue_id: t.id() },
  result: [200, EpicIssueLink],
  run: ({ platform, subject, actor, params }) => removeEpicIssue(platform, subject, params.epic_issue_id, actor),
})

export const epicIssuesMove = operation({
  ...writes,
  ...pathsBelowEpic('issues/:epic_issue_id'),
  id: 'epic_issues.move',
  contract: 'x.epic_issue_update',
  method: 'PUT',
  summary: 'Change the order of the issues of an epic',
  params: { epic_issue_id: t.id(), move_after_id: place('after'), move_before_id: place('before') },
  result: [200, Type.Array(EpicIssue)],
  run: ({ platform, subject, actor, params: { epic_issue_id: id, ...places } }) =>
    moveEpicIssue(platform, subject, id, places, actor),
})
