import {
  groupMergeRequestsList,
  type ListedMergeRequest,
  mergeRequestsCreate,
  mergeRequestsList,
  projectMergeRequestsList,
} from '../../../operations.ts'
import type { Listed } from '../choices.ts'
import { itemLists } from '../item-lists.tsx'
import { addressIn } from '../places.ts'
import { RequestRows } from './rows.tsx'

const lists = { project: projectMergeRequestsList, group: groupMergeRequestsList, instance: mergeRequestsList } as const
const closed = [
  { value: 'merged', label: 'Merged' },
  { value: 'closed', label: 'Closed' },
]

/** The merge requests of a project, of a group, and those of the caller. */
export const requestLists = itemLists<ListedMergeRequest>({
  path: 'merge_requests',
  section: 'Code',
  title: 'Merge requests',
  one: 'merge request',
  lists,
  create: mergeRequestsCreate,
  createdAt: 'project',
  extras: { with_labels_details: true, with_review_details: true },
  first: ['search', 'labels', 'author_username', 'assignee_username', 'reviewer_username', 'milestone', 'wip'],
  scopes: [
    { value: 'reviews_for_me', label: 'To review' },
    { value: 'assigned_to_me', label: 'Assigned to you' },
    { value: 'created_by_me', label: 'Created by you' },
    { value: 'all', label: 'All that you see' },
  ],
  closed,
  // A search is limited per minute: it is not repeated for each state. A list that is too long to be counted has no total.
  async countsOf(visit, at, call) {
    if (visit.query.search) return {}
    const states = ['opened', 'all', ...closed.map(({ value }) => value)]
    const counted = states.map(async (state) => {
      const asked = { ...call, state, view: 'simple', per_page: 1 }
      const found = (await visit.find(lists[at], asked as never)) as (Listed<unknown> & { total?: number }) | null
      return [state, found?.total] as const
    })
    return Object.fromEntries(await Promise.all(counted))
  },
  rows: (visit, requests, isOfProject) => <RequestRows visit={visit} requests={requests} isOfProject={isOfProject} />,
  hint: (visit, mayCreate) => (
    <>
      {mayCreate && (
        <>
          Push a branch, then <a href={addressIn(visit, 'merge_requests/new')}>propose it</a>.{' '}
        </>
      )}
      A merge request proposes the commits of one branch for another one.
    </>
  ),
})
