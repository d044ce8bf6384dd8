import { schemaOf } from '../../../forms/schema.ts'
import { type ListedPipeline, pipelinesCreate, pipelinesList } from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import { Avatar, duration, Empty, Icon, Pages, Status, statusIcon, Time } from '../../../parts/parts.tsx'
import { words } from '../../../parts/words.ts'
import { at } from '../../code/places.ts'
import { RefLink } from '../ref-link.tsx'
import { isBusy, secondsBetween } from '../statuses.ts'

const names = ['status', 'scope', 'source', 'ref', 'username'] as const
type Filter = Partial<Record<(typeof names)[number], string>>

const labels = { status: 'Status', scope: 'Which', source: 'Source', ref: 'Branch or tag', username: 'User' } as const
const scopes: Readonly<Record<string, string>> = { branches: 'Newest of each branch', tags: 'Newest of each tag' }

function filterOf({ query }: Visit): Filter {
  return Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))
}

function FilterField({ name, value = '' }: { name: (typeof names)[number]; value: string | undefined }) {
  const values = schemaOf(pipelinesList.params?.[name]?.schema).values
  const label = labels[name]
  if (!values) return <input type="search" name={name} value={value} placeholder={label} aria-label={label} />
  return (
    <select name={name} aria-label={label}>
      <option value="">{label}: any</option>
      {values
        .filter((one) => one !== 'scheduled' || name !== 'source')
        .map((one) => (
          <option value={one} selected={String(one) === value}>
            {scopes[one] ?? words(String(one))}
          </option>
        ))}
    </select>
  )
}

/** The filters of the list. They are its address. */
function FilterBar({ visit, filter }: { visit: Visit; filter: Filter }) {
  const address = at(visit, 'pipelines')
  return (
    <form class="filter" method="get" action={address} role="search" aria-label="Filter pipelines">
      {names.map((name) => (
        <FilterField name={name} value={filter[name]} />
      ))}
      <button>Filter</button>
      {Object.keys(filter).length > 0 && <a href={address}>Clear</a>}
    </form>
  )
}

function Stages({ stages = [] }: Pick<ListedPipeline, 'stages'>) {
  return (
    <span class="stages">
      {stages.map(({ name, status }) => (
        <span class={`status ${status}`} title={`${name}: ${words(status)}`}>
          <Icon name={statusIcon(status)} label={`${name}: ${words(status)}`} />
        </span>
      ))}
    </span>
  )
}

function Row({ visit, one }: { visit: Visit; one: ListedPipeline }) {
  const href = at(visit, `pipelines/${one.id}`)
  return (
    <li>
      <span class="state">
        <Status status={one.status} href={href} />
      </span>
      <div class="grow">
        <a class="strong" href={href}>
          {one.name || one.commit_title || 'No message'}
        </a>
        <p class="sub">
          #{one.id} · {words(one.source)} · <RefLink visit={visit} one={one} /> ·{' '}
          <a class="sha" href={at(visit, `commit/${one.sha}`)}>
            {one.sha.slice(0, 8)}
          </a>
        </p>
        <Stages stages={one.stages} />
      </div>
      <span class="meta">{duration(secondsBetween(one.started_at, one.finished_at))}</span>
      <span class="meta when">
        {one.user && (
          <a href={one.user.web_url} title={one.user.name}>
            <Avatar name={one.user.name} />
            <span class="hidden">{one.user.name}</span>
          </a>
        )}
        <Time at={one.created_at} />
      </span>
    </li>
  )
}

function None({ visit, isFiltered, mayCreate }: { visit: Visit; isFiltered: boolean; mayCreate: boolean }) {
  if (isFiltered) return <Empty title="No pipeline matches." />
  return (
    <Empty title="No pipelines yet.">
      <p>
        A pipeline runs the jobs of <code>.gitlab-ci.yml</code> for a push. Push that file to see one
        {mayCreate && (
          <>
            , or <a href={at(visit, 'ci/lint')}>try a configuration</a> first
          </>
        )}
        .
      </p>
    </Empty>
  )
}

/** The pipelines, newest first. */
export const pipelines = page({
  at: 'project',
  path: 'pipelines',
  nav: { section: 'Build', label: 'Pipelines', operation: pipelinesList },
  async show(visit) {
    const { id } = visit.project
    const filter = filterOf(visit)
    const [found, mayCreate] = await Promise.all([
      visit.read(pipelinesList, { id, ...filter, with_details: true, page: visit.number } as { id: number }),
      visit.may(pipelinesCreate, { id }),
    ])
    const isFiltered = Object.keys(filter).length > 0
    return {
      title: 'Pipelines',
      refreshes: found.items.some(({ status }) => isBusy(status)),
      actions: mayCreate && (
        <a class="button primary" href={at(visit, 'pipelines/new')}>
          Run a pipeline
        </a>
      ),
      body: (
        <div>
          {(isFiltered || found.items.length > 0) && <FilterBar visit={visit} filter={filter} />}
          <div id="pipelines" data-live="">
            {found.items.length === 0 && <None visit={visit} isFiltered={isFiltered} mayCreate={mayCreate} />}
            <ul class="rows builds">
              {found.items.map((one) => (
                <Row visit={visit} one={one} />
              ))}
            </ul>
          </div>
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})
