import type { CallOf } from '../../../../api/index.ts'
import type { Html } from '../../../html/index.ts'
import {
  groupIssuesList,
  groupIssuesStatistics,
  issuesCreate,
  issuesList,
  issuesStatistics,
  projectIssuesList,
  projectIssuesStatistics,
} from '../../../operations.ts'
import { type Level, type Page, page, type View, type Visit } from '../../../page.ts'
import { Empty, Pages } from '../../../parts/parts.tsx'
import { FilterBar, filterNames, orderOf, Tabs, tidyAddress } from '../filter-bar.tsx'
import { addressIn, given, placeCall } from '../places.ts'
import { IssueRows } from './rows.tsx'

const lists = { project: projectIssuesList, group: groupIssuesList, instance: issuesList } as const
const statistics = {
  project: projectIssuesStatistics,
  group: groupIssuesStatistics,
  instance: issuesStatistics,
} as const

const first = ['search', 'labels', 'author_username', 'assignee_username', 'milestone']
const scopes = [
  { value: 'assigned_to_me', label: 'Assigned to you' },
  { value: 'created_by_me', label: 'Created by you' },
  { value: 'all', label: 'All that you see' },
]

/** What the address asks of a list, besides the state and the order. Its texts are read as those of a request. */
function asked(visit: Visit, at: Level) {
  const scope = at === 'instance' ? { scope: visit.query.scope ?? 'assigned_to_me' } : {}
  return { ...placeCall(visit, at), ...scope, ...given(visit.query, filterNames(lists[at])) }
}

/** How many issues the filters find in each state; null where a filter is of lists only. */
async function countsOf(visit: Visit, at: Level) {
  const { params = {} } = statistics[at]
  const call = asked(visit, at)
  if (
    Object.keys(call).some((name) => name !== 'id' && name !== 'scope' && name !== 'non_archived' && !(name in params))
  )
    return null
  const found = await visit.find(statistics[at], call as CallOf<typeof projectIssuesStatistics>)
  return found?.statistics.counts ?? null
}

function NoIssues({ visit, at, mayCreate }: { visit: Visit; at: Level; mayCreate: boolean }): Html {
  const isFiltered = Object.keys(visit.query).some((name) => name !== 'scope')
  if (isFiltered) {
    return (
      <Empty title="No issue matches.">
        <p>
          <a href={visit.path.split('?', 1)[0] ?? ''}>Show all open issues</a>
        </p>
      </Empty>
    )
  }
  return (
    <Empty title={at === 'instance' ? 'No open issue is assigned to you.' : 'No open issues.'}>
      {mayCreate ? (
        <p>
          <a href={addressIn(visit, 'issues/new')}>Write an issue</a> about something to fix, to build or to decide.
        </p>
      ) : (
        <p>An issue is something to fix, to build or to decide.</p>
      )}
    </Empty>
  )
}

async function showList(visit: Visit, at: Level): Promise<View> {
  const state = visit.query.state ?? 'opened'
  const shown = { state, page: visit.number, with_labels_details: true, ...orderOf(visit) }
  const call = { ...asked(visit, at), ...shown }
  const [found, counts, mayCreate] = await Promise.all([
    visit.read(lists[at], call as unknown as CallOf<typeof projectIssuesList>),
    countsOf(visit, at),
    at === 'project' ? visit.may(issuesCreate, { id: visit.project.id }) : false,
  ])
  return {
    title: at === 'instance' ? 'Your issues' : 'Issues',
    actions: mayCreate && (
      <a class="button primary" href={addressIn(visit, 'issues/new')}>
        New issue
      </a>
    ),
    body: (
      <div>
        {at === 'instance' && <Tabs visit={visit} name="scope" label="Whose" tabs={scopes} />}
        <Tabs
          visit={visit}
          name="state"
          label="State"
          tabs={[
            { value: 'opened', label: 'Open', count: counts?.opened },
            { value: 'closed', label: 'Closed', count: counts?.closed },
            { value: 'all', label: 'All', count: counts?.all },
          ]}
        />
        <FilterBar visit={visit} list={lists[at]} first={first} keeps={['state', 'scope']} />
        {found.items.length === 0 ? (
          <NoIssues visit={visit} at={at} mayCreate={mayCreate} />
        ) : (
          <IssueRows visit={visit} issues={found.items} isOfProject={at === 'project'} />
        )}
        <Pages path={visit.path} page={visit.number} of={found} />
      </div>
    ),
  }
}

const listAt = (at: Level, path: string, section: 'Plan' | '', label: string): Page =>
  page({
    at,
    path,
    nav: { section, label, operation: lists[at], isFor: ({ me }) => at !== 'instance' || me !== null },
    async show(visit) {
      const tidy = tidyAddress(visit)
      return tidy === null ? showList(visit, at) : { redirect: tidy }
    },
  })

/** The issues of a project, of a group, and those of the caller. */
export const issueLists: readonly Page[] = [
  listAt('instance', 'dashboard/issues', '', 'Issues'),
  listAt('group', 'issues', 'Plan', 'Issues'),
  listAt('project', 'issues', 'Plan', 'Issues'),
]
