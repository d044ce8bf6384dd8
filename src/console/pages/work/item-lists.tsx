/** Lists of issues, merge requests and epics: filters that are the address, states with their counts, rows. */
import type { Operation } from '../../../api/index.ts'
import type { Child, Html } from '../../html/index.ts'
import { type Level, type Page, page, type View, type Visit } from '../../page.ts'
import { Empty, Pages } from '../../parts/parts.tsx'
import type { Listed } from './choices.ts'
import { FilterBar, filterNames, orderOf, Tabs, tidyAddress } from './filter-bar.tsx'
import { addressIn, callOf, given, placeCall } from './places.ts'

type Tab = { value: string; label: string }
type Call = Record<string, unknown>

/** Lists of one kind of object as a value. */
export type ItemLists<Item> = {
  /** Below a project or a group; below `/dashboard` for those of the caller. */
  path: 'issues' | 'merge_requests' | 'epics'
  section: 'Plan' | 'Code'
  title: string
  /** The noun for one of them. */
  one: string
  lists: Readonly<Partial<Record<Level, Operation>>>
  create: Operation
  /** Where new ones are made. */
  createdAt: Level
  /** What the operations are asked for besides the filters. */
  extras: Call
  /** The filters that are always shown. */
  first: readonly string[]
  /** Whose, in the lists of the caller; the first is the default. */
  scopes: readonly Tab[]
  /** The states after the open ones. */
  closed: readonly Tab[]
  /** How many the filters find by state, as far as this is known. */
  countsOf?(visit: Visit, at: Level, call: Call): Promise<Readonly<Record<string, number | undefined>>>
  rows(visit: Visit, items: readonly Item[], isOfProject: boolean): Html
  /** What an empty list says to do next. */
  hint(visit: Visit, mayCreate: boolean): Child
}

type At<Item> = { visit: Visit; at: Level; declared: ItemLists<Item> }

function Nothing<Item>({ visit, at, declared, mayCreate }: At<Item> & { mayCreate: boolean }): Html {
  const { title, one, hint } = declared
  const plural = title.toLowerCase()
  if (Object.keys(visit.query).some((name) => name !== 'scope')) {
    return (
      <Empty title={`No ${one} matches.`}>
        <p>
          <a href={visit.path.split('?', 1)[0] ?? ''}>Show all open {plural}</a>
        </p>
      </Empty>
    )
  }
  return (
    <Empty title={at === 'instance' ? `No open ${one} waits for you.` : `No open ${plural}.`}>
      <p>{hint(visit, mayCreate)}</p>
    </Empty>
  )
}

/** What the address asks of a list, besides the state and the order. Its texts are read as those of a request. */
function asked<Item>({ visit, at, declared: { scopes } }: At<Item>, list: Operation): Call {
  const scope = at === 'instance' ? { scope: visit.query.scope ?? scopes[0]?.value } : {}
  return { ...placeCall(visit, at), ...scope, ...callOf(given(visit.query, filterNames(list))) }
}

async function showList<Item>(of: At<Item>, list: Operation): Promise<View> {
  const { visit, at, declared } = of
  const { path, title, one, create, createdAt, extras, first, scopes, closed, countsOf, rows } = declared
  const call = asked(of, list)
  const shown = { ...extras, state: visit.query.state ?? 'opened', page: visit.number, ...orderOf(visit) }
  const [found, counts, mayCreate] = await Promise.all([
    visit.read(list, { ...call, ...shown }) as Promise<NonNullable<Listed<Item>>>,
    countsOf?.(visit, at, call),
    at === createdAt && visit.may(create, placeCall(visit, at)),
  ])
  const states = [{ value: 'opened', label: 'Open' }, ...closed, { value: 'all', label: 'All' }]
  return {
    title: at === 'instance' ? `Your ${title.toLowerCase()}` : title,
    actions: mayCreate && (
      <a class="button primary" href={addressIn(visit, `${path}/new`)}>
        New {one}
      </a>
    ),
    body: (
      <div>
        {at === 'instance' && <Tabs visit={visit} name="scope" label="Whose" tabs={scopes} />}
        <Tabs
          visit={visit}
          name="state"
          label="State"
          tabs={states.map((tab) => ({ ...tab, count: counts?.[tab.value] }))}
        />
        <FilterBar visit={visit} list={list} first={first} keeps={['state', 'scope']} />
        {found.items.length === 0 ? (
          <Nothing {...of} mayCreate={mayCreate} />
        ) : (
          rows(visit, found.items, at === 'project')
        )}
        <Pages path={visit.path} page={visit.number} of={found} />
      </div>
    ),
  }
}

/** The pages of the lists, at each level that has one. */
export function itemLists<Item>(declared: ItemLists<Item>): readonly Page[] {
  const { path, section, title, lists } = declared
  return (['instance', 'group', 'project'] as const).flatMap((at) => {
    const list = lists[at]
    if (!list) return []
    const isOwn = at === 'instance'
    return page({
      at,
      path: isOwn ? `dashboard/${path}` : path,
      nav: { section: isOwn ? '' : section, label: title, operation: list, isFor: ({ me }) => !isOwn || me !== null },
      async show(visit) {
        const tidy = tidyAddress(visit)
        return tidy === null ? showList({ visit, at, declared }, list) : { redirect: tidy }
      },
    })
  })
}
