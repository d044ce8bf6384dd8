import type { CallOf } from '../../../../api/index.ts'
import type { Html } from '../../../html/index.ts'
import {
  groupMergeRequestsList,
  mergeRequestsCreate,
  mergeRequestsList,
  projectMergeRequestsList,
} from '../../../operations.ts'
import { type Level, type Page, page, type View, type Visit } from '../../../page.ts'
import { Empty, Pages } from '../../../parts/parts.tsx'
import { FilterBar, filterNames, orderOf, Tabs, tidyAddress } from '../filter-bar.tsx'
import { addressIn, given, placeCall } from '../places.ts'
import { RequestRows } from './rows.tsx'

const lists = { project: projectMergeRequestsList, group: groupMergeRequestsList, instance: mergeRequestsList } as const
type ListCall = CallOf<typeof projectMergeRequestsList>

const first = ['search', 'labels', 'author_username', 'assignee_username', 'reviewer_username', 'milestone', 'wip']
const scopes = [
  { value: 'reviews_for_me', label: 'To review' },
  { value: 'assigned_to_me', label: 'Assigned to you' },
  { value: 'created_by_me', label: 'Created by you' },
  { value: 'all', label: 'All that you see' },
]
const states = [
  { value: 'opened', label: 'Open' },
  { value: 'merged', label: 'Merged' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
]

/** What the address asks of a list, besides the state and the order. Its texts are read as those of a request. */
function asked(visit: Visit, at: Level) {
  const scope = at === 'instance' ? { scope: visit.query.scope ?? 'reviews_for_me' } : {}
  return { ...placeCall(visit, at), ...scope, ...given(visit.query, filterNames(lists[at])) }
}

/** How many merge requests the filters find in each state; absent where they are too many to be counted. */
async function countsOf(visit: Visit, at: Level): Promise<(number | undefined)[]> {
  // A search is limited per minute: it is not repeated for each state.
  if (visit.query.search) return []
  const call = { ...asked(visit, at), view: 'simple', per_page: 1 }
  const found = await Promise.all(
    states.map(({ value }) => visit.find(lists[at], { ...call, state: value } as unknown as ListCall)),
  )
  return found.map((one) => one?.total)
}

function NoRequests({ visit, at, mayCreate }: { visit: Visit; at: Level; mayCreate: boolean }): Html {
  const isFiltered = Object.keys(visit.query).some((name) => name !== 'scope')
  if (isFiltered) {
    return (
      <Empty title="No merge request matches.">
        <p>
          <a href={visit.path.split('?', 1)[0] ?? ''}>Show all open merge requests</a>
        </p>
      </Empty>
    )
  }
  return (
    <Empty title={at === 'instance' ? 'No open merge request is here.' : 'No open merge requests.'}>
      <p>
        {mayCreate && (
          <>
            Push a branch, then <a href={addressIn(visit, 'merge_requests/new')}>propose it</a>.{' '}
          </>
        )}
        A merge request proposes the commits of one branch for another one.
      </p>
    </Empty>
  )
}

async function showList(visit: Visit, at: Level): Promise<View> {
  const state = visit.query.state ?? 'opened'
  const shown = { state, page: visit.number, with_labels_details: true, with_review_details: true }
  const call = { ...asked(visit, at), ...shown, ...orderOf(visit) }
  const [found, counts, mayCreate] = await Promise.all([
    visit.read(lists[at], call as unknown as ListCall),
    countsOf(visit, at),
    at === 'project' ? visit.may(mergeRequestsCreate, { id: visit.project.id }) : false,
  ])
  return {
    title: at === 'instance' ? 'Your merge requests' : 'Merge requests',
    actions: mayCreate && (
      <a class="button primary" href={addressIn(visit, 'merge_requests/new')}>
        New merge request
      </a>
    ),
    body: (
      <div>
        {at === 'instance' && <Tabs visit={visit} name="scope" label="Whose" tabs={scopes} />}
        <Tabs
          visit={visit}
          name="state"
          label="State"
          tabs={states.map((tab, index) => ({ ...tab, count: counts[index] }))}
        />
        <FilterBar visit={visit} list={lists[at]} first={first} keeps={['state', 'scope']} />
        {found.items.length === 0 ? (
          <NoRequests visit={visit} at={at} mayCreate={mayCreate} />
        ) : (
          <RequestRows visit={visit} requests={found.items} isOfProject={at === 'project'} />
        )}
        <Pages path={visit.path} page={visit.number} of={found} />
      </div>
    ),
  }
}

const listAt = (at: Level, path: string, section: 'Code' | '', label: string): Page =>
  page({
    at,
    path,
    nav: { section, label, operation: lists[at], isFor: ({ me }) => at !== 'instance' || me !== null },
    async show(visit) {
      const tidy = tidyAddress(visit)
      return tidy === null ? showList(visit, at) : { redirect: tidy }
    },
  })

/** The merge requests of a project, of a group, and those of the caller. */
export const requestLists: readonly Page[] = [
  listAt('instance', 'dashboard/merge_requests', '', 'Merge requests'),
  listAt('group', 'merge_requests', 'Code', 'Merge requests'),
  listAt('project', 'merge_requests', 'Code', 'Merge requests'),
]
