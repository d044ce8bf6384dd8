import type { Html } from '../../../html/index.ts'
import { type EpicObject, epicsCreate, epicsList } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { pathOfUrl } from '../../../parts/discussion/index.ts'
import { Icon, Time, Title } from '../../../parts/parts.tsx'
import { itemLists } from '../item-lists.tsx'
import { LabelLinks, labelsOf } from '../labels.tsx'
import { addressIn } from '../places.ts'

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
            <LabelLinks labels={labelsOf(epic.labels)} list={addressIn(visit, 'epics')} />
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

/** The epics of a group and of those below it. */
export const epics = itemLists<Row>({
  path: 'epics',
  section: 'Plan',
  title: 'Epics',
  one: 'epic',
  lists: { group: epicsList },
  create: epicsCreate,
  createdAt: 'group',
  extras: { with_labels_details: true },
  first: ['search', 'labels', 'author_username'],
  scopes: [],
  closed: [{ value: 'closed', label: 'Closed' }],
  rows: (visit, found) => <EpicRows visit={visit} epics={found} />,
  hint: () => 'An epic holds together the issues of several projects.',
})
