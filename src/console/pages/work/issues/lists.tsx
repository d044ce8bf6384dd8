import type { CallOf, Operation } from '../../../../api/index.ts'
import {
  groupIssuesList,
  groupIssuesStatistics,
  issuesCreate,
  issuesList,
  issuesStatistics,
  type ListedIssue,
  projectIssuesList,
  projectIssuesStatistics,
} from '../../../operations.ts'
import type { Level } from '../../../page.ts'
import { itemLists } from '../item-lists.tsx'
import { addressIn } from '../places.ts'
import { IssueRows } from './rows.tsx'

const statistics = {
  project: projectIssuesStatistics,
  group: groupIssuesStatistics,
  instance: issuesStatistics,
} as const satisfies Record<Level, Operation>

/** What lists take and statistics need not. */
const ofAll = new Set(['id', 'scope', 'non_archived'])

/** The issues of a project, of a group, and those of the caller. */
export const issueLists = itemLists<ListedIssue>({
  path: 'issues',
  section: 'Plan',
  title: 'Issues',
  one: 'issue',
  lists: { project: projectIssuesList, group: groupIssuesList, instance: issuesList },
  create: issuesCreate,
  createdAt: 'project',
  extras: { with_labels_details: true },
  first: ['search', 'labels', 'author_username', 'assignee_username', 'milestone'],
  scopes: [
    { value: 'assigned_to_me', label: 'Assigned to you' },
    { value: 'created_by_me', label: 'Created by you' },
    { value: 'all', label: 'All that you see' },
  ],
  closed: [{ value: 'closed', label: 'Closed' }],
  // Some filters are of lists only.
  async countsOf(visit, at, call) {
    const { params = {} } = statistics[at]
    if (Object.keys(call).some((name) => !ofAll.has(name) && !(name in params))) return {}
    const found = await visit.find(statistics[at], call as CallOf<typeof projectIssuesStatistics>)
    return found?.statistics.counts ?? {}
  },
  rows: (visit, issues, isOfProject) => <IssueRows visit={visit} issues={issues} isOfProject={isOfProject} />,
  hint: (visit, mayCreate) =>
    mayCreate ? (
      <>
        <a href={addressIn(visit, 'issues/new')}>Write an issue</a> about something to fix, to build or to decide.
      </>
    ) : (
      'An issue is something to fix, to build or to decide.'
    ),
})
