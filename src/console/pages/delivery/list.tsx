import type { Html } from '../../html/index.ts'
import {
  environmentsCreate,
  environmentsDelete,
  environmentsList,
  environmentsStop,
  environmentsStopStale,
  type ItemOf,
} from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { Empty, Pages, withQuery } from '../../parts/parts.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { words } from '../../parts/words.ts'
import { at, External, Facts, readButtons, StateOf } from './parts.tsx'

type Environment = ItemOf<typeof environmentsList>
type Listed = { environment: Environment; buttons: Html | null }

const states = ['available', 'stopping', 'stopped', 'all'] as const
const shortestSearch = 3

function FilterBar({ visit, state }: { visit: Visit; state: string }) {
  return (
    <search class="filter-bar">
      <nav class="choices" aria-label="State">
        {states.map((one) => (
          <a
            href={withQuery(visit.path, { page: null, state: one === 'available' ? null : one })}
            aria-current={one === state ? 'page' : undefined}
          >
            {words(one)}
          </a>
        ))}
      </nav>
      <form class="filter" method="get">
        {state !== 'available' && <input type="hidden" name="state" value={state} />}
        <input
          type="search"
          name="search"
          value={visit.query.search ?? ''}
          placeholder="Part of the name"
          aria-label="Search environments"
        />
      </form>
    </search>
  )
}

function Row({ visit, of: { environment, buttons } }: { visit: Visit; of: Listed }) {
  const { id, name, state, tier, last_deployment: last } = environment
  return (
    <li>
      <div class="grow">
        <a class="strong" href={at(visit, `/${id}`)}>
          {name}
        </a>
        <span class="tagged">{state}</span>
        <span class="tagged">{tier}</span> {last && <StateOf visit={visit} environmentId={id} of={last} />}
        {last ? <Facts visit={visit} of={last} /> : <p class="sub">Nothing was deployed yet.</p>}
        <p class="sub">
          <External url={environment.external_url} />
        </p>
      </div>
      {buttons}
    </li>
  )
}

/** The folder of an environment: `review` of `review/a`; empty without one. */
const folderOf = ({ environment: { name } }: Listed) => (name.includes('/') ? name.slice(0, name.indexOf('/')) : '')

function Rows({ visit, listed }: { visit: Visit; listed: readonly Listed[] }) {
  const folders = Map.groupBy(listed, folderOf)
  return (
    <>
      {[...folders]
        .toSorted(([one], [other]) => Number(one !== '') - Number(other !== ''))
        .map(([folder, members]) => (
          <section>
            {folder !== '' && (
              <h2>
                <a href={withQuery(visit.path, { page: null, search: `${folder}/` })}>{folder}/</a>
              </h2>
            )}
            <ul class="rows">
              {members.map((one) => (
                <Row visit={visit} of={one} />
              ))}
            </ul>
          </section>
        ))}
    </>
  )
}

/** The environments of a project, those that are available unless the address says otherwise. */
export const environments = page({
  at: 'project',
  path: 'environments',
  nav: { section: 'Deploy', label: 'Environments', operation: environmentsList },
  performs: [environmentsStop, environmentsDelete],
  async show(visit) {
    const { id } = visit.project
    const state = states.find((one) => one === visit.query.state) ?? 'available'
    const { search = '' } = visit.query
    const isShort = search !== '' && [...search].length < shortestSearch
    const [found, mayCreate, mayClean] = await Promise.all([
      visit.read(environmentsList, {
        ...{ id, with_last_deployment: true, page: visit.number },
        ...(state !== 'all' && { states: state }),
        ...(search !== '' && !isShort && { search }),
      }),
      visit.may(environmentsCreate, { id }),
      visit.may(environmentsStopStale, { id, before: '' }),
    ])
    const buttons = await readButtons(visit, found.items)
    const listed = found.items.map((environment, index) => ({ environment, buttons: buttons[index] ?? null }))
    const isFiltered = search !== '' || state !== 'available'
    return {
      title: 'Environments',
      actions: (
        <>
          {mayClean && (
            <a class="button" href={at(visit, '/old')}>
              Clean up
            </a>
          )}
          {mayCreate && (
            <a class="button primary" href={at(visit, '/new')}>
              New environment
            </a>
          )}
        </>
      ),
      body: (
        <div class="derived">
          <Refusal visit={visit} />
          <FilterBar visit={visit} state={state} />
          {isShort && <p class="note-line">The search needs at least {shortestSearch} characters.</p>}
          {listed.length === 0 && (
            <Empty title={isFiltered ? 'No environment matches.' : 'No environment is available.'}>
              <p>
                A job with <code>environment</code> in <code>.gitlab-ci.yml</code> deploys to one.
              </p>
            </Empty>
          )}
          <Rows visit={visit} listed={listed} />
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})
