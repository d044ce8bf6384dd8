import { instance, pageOf, reading, Type, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../../groups/index.ts'
import { requireMilestone } from '../../milestones/index.ts'
import { atProjectAndGroup, project } from '../../projects/index.ts'
import { ListedIssue } from '../present/schema.ts'
import { countIssues, listIssues, listIssuesOfMilestone } from './lists.ts'
import { instanceStatistics, projectList, projectStatistics, wideList } from './params.ts'

const tag = 'Issues'
const both = ['asc', 'desc'] as const

const list = {
  keyset: { created_at: both, updated_at: both, id: both },
  keysetDefault: { orderBy: 'created_at', sort: 'desc' },
  offsetLimitOf: 'Issue',
} as const

const IssueStatistics = Type.Object(
  {
    statistics: Type.Object({
      counts: Type.Object({ all: Type.Integer(), closed: Type.Integer(), opened: Type.Integer() }),
    }),
  },
  { title: 'IssueStatistics' },
)

const ofInstance = { tag, subject: instance, allow: 'public', scopes: reading, method: 'GET' } as const
const ofGroup = { tag, subject: group, allow: 'read_group', scopes: reading, method: 'GET' } as const
const ofProject = { tag, subject: project, allow: 'read_project', scopes: reading, method: 'GET' } as const
const anonymously = 'Anonymous callers need `scope=all`, and get public issues.'

export const issuesList = operation({
  ...ofInstance,
  id: 'issues.list',
  contract: '3.30',
  path: '/issues',
  summary: 'List the issues that the caller can see',
  description: anonymously,
  list,
  params: wideList,
  result: [200, pageOf(ListedIssue)],
  run: ({ page, ...asked }) => listIssues({ ...asked, parent: {} }, page),
})

export const groupIssuesList = operation({
  ...ofGroup,
  id: 'group_issues.list',
  contract: '3.31',
  path: '/groups/:id/issues',
  summary: 'List the issues of a group and of the groups below it',
  list,
  params: wideList,
  result: [200, pageOf(ListedIssue)],
  run: ({ page, subject, ...asked }) => listIssues({ ...asked, parent: { group: subject } }, page),
})

export const projectIssuesList = operation({
  ...ofProject,
  id: 'project_issues.list',
  contract: '3.32',
  path: '/projects/:id/issues',
  summary: 'List the issues of a project',
  list,
  params: projectList,
  result: [200, pageOf(ListedIssue)],
  run: ({ page, subject, ...asked }) => listIssues({ ...asked, parent: { project: subject } }, page),
})

export const issuesStatistics = operation({
  ...ofInstance,
  id: 'issues_statistics.get',
  contract: 'x.issue_stats',
  path: '/issues_statistics',
  summary: 'Count the issues that the caller can see, by state',
  description: anonymously,
  params: instanceStatistics,
  result: [200, IssueStatistics],
  run: (asked) => countIssues({ ...asked, parent: {} }),
})

export const groupIssuesStatistics = operation({
  ...ofGroup,
  id: 'group_issues_statistics.get',
  contract: 'x.issue_stats_group',
  path: '/groups/:id/issues_statistics',
  summary: 'Count the issues of a group and of the groups below it, by state',
  params: projectStatistics,
  result: [200, IssueStatistics],
  run: ({ subject, ...asked }) => countIssues({ ...asked, parent: { group: subject } }),
})

export const projectIssuesStatistics = operation({
  ...ofProject,
  id: 'project_issues_statistics.get',
  contract: 'x.issue_stats_project',
  path: '/projects/:id/issues_statistics',
  summary: 'Count the issues of a project, by state',
  params: projectStatistics,
  result: [200, IssueStatistics],
  run: ({ subject, ...asked }) => countIssues({ ...asked, parent: { project: subject } }),
})

export const milestoneIssues = atProjectAndGroup(({ kind, path, subject }) => [
  operation({
    id: `${kind}_milestone_issues.list`,
    contract: kind === 'project' ? 'x.milestone_issues' : 'x.group_milestone_issues',
    method: 'GET',
    path: `${path}/milestones/:milestone_id/issues`,
    tag: 'Milestones',
    summary: `List the issues of a milestone of a ${kind}`,
    subject,
    allow: 'read_milestones',
    scopes: reading,
    params: { milestone_id: t.id() },
    result: [200, pageOf(ListedIssue)],
    async run({ platform, subject: parent, actor, params, page }) {
      const { id: milestoneId } = await requireMilestone(platform.database.read, parent, params.milestone_id)
      return listIssuesOfMilestone(platform, actor, { parent, milestoneId }, page)
    },
  }),
])
