import type { CallOf } from '../../../../api/index.ts'
import type { Html } from '../../../html/index.ts'
import { type EpicObject, epicsCreate, epicsList } from '../../../operations.ts'
import { page, type View, type Visit } from '../../../page.ts'
import { pathOfUrl } from '../../../parts/discussion/index.ts'
import { Empty, Icon, Label, Pages, Time, Title, withQuery } from '../../../parts/parts.tsx'
import { FilterBar, filterNames, orderOf, Tabs, tidyAddress } from '../filter-bar.tsx'
import { addressIn, given } from '../places.ts'

type Row = Pick<
  EpicObject,
  | 'title'
  | 'state'
  | 'labels'
  | 'web_url'
  | 'author'
  | 'created_at'
  | 'start_date'
  | 'due_date'
  | 'confidential'
  | 'references'
>

/** The first and the last day of an epic, as far as it has them. */
export function Days({ of: { start_date: start, due_date: due } }: { of: Pick<Row, 'start_date' | 'due_date'> }): Html {
  if (!start && !due) return <></>
  return (
    <>
      {' · '}
      {start && <Time at={start} />} – {due && <Time at={due} />}
    </>
  )
}

/** Epics, one in each row. */
export function EpicRows({ visit, epics }: { visit: Visit; epics: readonly Row[] }): Html {
  return (
    <ul class="rows">
      {epics.map((epic) => (
        <li>
          <Icon name={epic.state === 'opened' ? 'open' : 'done'} label={epic.state === 'opened' ? 'Open' : 'Closed'} />
          <div class="grow">
            <a class="strong" href={pathOfUrl(epic.web_url)}>
              <Title text={epic.title} />
            </a>{' '}
            {epic.confidential && <Icon name="lock" label="Confidential" />}{' '}
            {epic.labels.map((label) =>
              typeof label === 'string' ? null : (
                <Label
                  name={label.name}
                  color={label.color}
                  href={withQuery(addressIn(visit, 'epics'), { labels: label.name })}
                />
              ),
            )}
            <p class="sub">
              {epic.references.relative} · opened <Time at={epic.created_at} /> by{' '}
              <a href={`/${epic.author.username}`}>{epic.author.name}</a>
              <Days of={epic} />
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}

const first = ['search', 'labels', 'author_username']
const states = [
  { value: 'opened', label: 'Open' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
]

async function showList(visit: Visit): Promise<View> {
  const { id } = visit.group
  const asked = { id, state: visit.query.state ?? 'opened', page: visit.number, with_labels_details: true }
  const call = { ...asked, ...given(visit.query, filterNames(epicsList)), ...orderOf(visit) }
  const [found, mayCreate] = await Promise.all([
    visit.read(epicsList, call as unknown as CallOf<typeof epicsList>),
    visit.may(epicsCreate, { id }),
  ])
  const isFiltered = Object.keys(visit.query).length > 0
  return {
    title: 'Epics',
    actions: mayCreate && (
      <a class="button primary" href={addressIn(visit, 'epics/new')}>
        New epic
      </a>
    ),
    body: (
      <div>
        <Tabs visit={visit} name="state" label="State" tabs={states} />
        <FilterBar visit={visit} list={epicsList} first={first} keeps={['state']} />
        {found.items.length === 0 ? (
          <Empty title={isFiltered ? 'No epic matches.' : 'No open epics.'}>
            <p>An epic holds together the issues of several projects.</p>
          </Empty>
        ) : (
          <EpicRows visit={visit} epics={found.items} />
        )}
        <Pages path={visit.path} page={visit.number} of={found} />
      </div>
    ),
  }
}

/** The epics of a group and of those below it. */
export const epics = page({
  at: 'group',
  path: 'epics',
  nav: { section: 'Plan', label: 'Epics', operation: epicsList },
  async show(visit) {
    const tidy = tidyAddress(visit)
    return tidy === null ? showList(visit) : { redirect: tidy }
  },
})
