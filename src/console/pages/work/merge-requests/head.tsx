import type { Child, Html } from '../../../html/index.ts'
import type { MergeRequestObject } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { Icon, Time, Title } from '../../../parts/parts.tsx'
import { atPath } from '../../code/places.ts'
import { addressIn } from '../places.ts'
import type { ReadRequest } from './read.ts'

/** The tabs of a merge request, by the ends of their addresses. */
export type Tab = '' | '/commits' | '/pipelines' | '/diffs'

const words: Readonly<Record<string, string>> = {
  opened: 'Open',
  merged: 'Merged',
  closed: 'Closed',
  locked: 'Being merged',
}

/** The address of a merge request, or of one of its tabs. */
export const requestAddress = (
  visit: Visit,
  { iid }: Pick<MergeRequestObject, 'iid'>,
  tab: Tab | '/edit' = '',
): string => addressIn(visit, `merge_requests/${iid}${tab}`)

/** A branch, which may be gone. */
function Branch({ visit, name }: { visit: Visit; name: string }): Html {
  return (
    <a class="branch-name" href={atPath(visit, 'tree', name)}>
      {name}
    </a>
  )
}

function Tabs({ visit, request, tab }: TabsProps): Html {
  const { user_notes_count: notes, changes_count: changes } = request
  const tabs = [
    ['', 'Overview', notes === 0 ? undefined : notes],
    ['/commits', 'Commits', undefined],
    ['/pipelines', 'Pipelines', undefined],
    ['/diffs', 'Changes', changes ?? undefined],
  ] as const
  return (
    <nav class="tabs" aria-label="Merge request">
      {tabs.map(([end, label, count]) => (
        <a href={requestAddress(visit, request, end)} aria-current={end === tab ? 'page' : undefined}>
          {label}
          {count !== undefined && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  )
}

type TabsProps = { visit: Visit; request: MergeRequestObject; tab: Tab }

type HeadProps = Omit<TabsProps, 'request'> & {
  of: ReadRequest
  /** What can be done with it. */
  children?: Child
}

/** The title of a merge request, its state and branches, and the tabs. */
export function RequestHead({ visit, of: { request }, tab, children }: HeadProps): Html {
  const { state, author, source_branch: source, target_branch: target } = request
  const merger = request.merge_user
  return (
    <>
      <div class="item-head">
        <h1>
          <Title text={request.title} /> <span class="soft">{request.reference}</span>
        </h1>
        <p>
          <span class={`state ${state}`}>
            <Icon name={state === 'merged' ? 'done' : state === 'closed' ? 'failed' : 'branch'} />
            {request.draft && state === 'opened' ? 'Draft' : (words[state] ?? state)}
          </span>
          <a class="strong" href={`/${author.username}`}>
            {author.name}
          </a>{' '}
          <span class="soft">
            wants to merge <Branch visit={visit} name={source} /> into <Branch visit={visit} name={target} />, opened{' '}
            <Time at={request.created_at} />
            {state === 'merged' && (
              <>
                , merged <Time at={request.merged_at} />
                {merger && ` by ${merger.name}`}
              </>
            )}
            {state === 'closed' && request.closed_at && (
              <>
                , closed <Time at={request.closed_at} />
                {request.closed_by && ` by ${request.closed_by.name}`}
              </>
            )}
          </span>
        </p>
        {children}
      </div>
      <div class="request-tabs">
        <Tabs visit={visit} request={request} tab={tab} />
      </div>
    </>
  )
}

/** The steps to a page of a merge request. */
export const requestCrumbs = (visit: Visit): [label: string, href: string][] => [
  ['Merge requests', addressIn(visit, 'merge_requests')],
]
