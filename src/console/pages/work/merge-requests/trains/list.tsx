import type { Html } from '../../../../html/index.ts'
import { mergeRequestsCancelAutoMerge, mergeTrainsList, mergeTrainsOfBranch } from '../../../../operations.ts'
import { page, type Visit } from '../../../../page.ts'
import { pathOfUrl } from '../../../../parts/discussion/index.ts'
import { Do } from '../../../../parts/form.tsx'
import { duration, Empty, Pages, Status, Time, Title, withQuery } from '../../../../parts/parts.tsx'
import { Refusal } from '../../../../parts/refusal.tsx'
import { addressIn } from '../../places.ts'
import type { Car } from './read.ts'
import { carInWords } from './words.ts'

/** The address of the train of a branch. */
export const trainAddress = (visit: Visit, branch: string): string =>
  withQuery(addressIn(visit, 'merge_trains'), { branch })

const scopes = [
  { value: 'active', label: 'On the train' },
  { value: 'complete', label: 'Merged' },
] as const

type Scope = (typeof scopes)[number]['value']

function Chosen({ visit, scope, branch }: { visit: Visit; scope: Scope; branch: string }): Html {
  return (
    <search class="filter-bar">
      <nav class="choices" aria-label="State">
        {scopes.map(({ value, label }) => (
          <a
            href={withQuery(visit.path, { page: null, scope: value === 'active' ? null : value })}
            aria-current={value === scope ? 'page' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      <form class="filter" method="get">
        {scope !== 'active' && <input type="hidden" name="scope" value={scope} />}
        <input type="search" name="branch" value={branch} placeholder="Target branch" aria-label="Target branch" />
      </form>
    </search>
  )
}

function Row({ visit, car, mayRemove }: { visit: Visit; car: Car; mayRemove: boolean }): Html {
  const { merge_request: request, target_branch: branch, status, pipeline, user } = car
  return (
    <li>
      {pipeline && <Status status={pipeline.status} href={pathOfUrl(pipeline.web_url)} />}
      <div class="grow">
        <a class="strong" href={addressIn(visit, `merge_requests/${request.iid}`)}>
          !{request.iid} <Title text={request.title} />
        </a>
        <span class="tagged">{carInWords[status]}</span>
        <p class="sub">
          into <a href={trainAddress(visit, branch)}>{branch}</a> · added by {user.name} <Time at={car.created_at} />
          {car.merged_at !== null && ` · merged after ${duration(car.duration)}`}
        </p>
      </div>
      {mayRemove && (
        <Do
          visit={visit}
          performs={mergeRequestsCancelAutoMerge}
          call={{ id: visit.project.id, merge_request_iid: request.iid }}
          kind="quiet"
        >
          Take off<span class="hidden"> !{request.iid}</span>
        </Do>
      )}
    </li>
  )
}

/** Reads a page of a train with the first one first, of all trains, or of what was merged last. */
function readCars(visit: Visit, scope: Scope, branch: string) {
  const sort = scope === 'active' ? 'asc' : 'desc'
  const call = { id: visit.project.id, scope, sort, page: visit.number } as const
  return branch === ''
    ? visit.read(mergeTrainsList, call)
    : visit.read(mergeTrainsOfBranch, { ...call, target_branch: branch })
}

/** The merge trains of a project: what is on them, and what they have merged. */
export const mergeTrains = page({
  at: 'project',
  path: 'merge_trains',
  nav: { section: 'Code', label: 'Merge trains', operation: mergeTrainsList },
  performs: [mergeRequestsCancelAutoMerge],
  async show(visit) {
    const scope = scopes.find(({ value }) => value === visit.query.scope)?.value ?? 'active'
    const branch = visit.query.branch ?? ''
    const found = await readCars(visit, scope, branch)
    const calls = found.items.map(({ merge_request: { iid } }) => ({
      id: visit.project.id,
      merge_request_iid: iid,
    }))
    const may =
      scope === 'active' ? await Promise.all(calls.map((call) => visit.may(mergeRequestsCancelAutoMerge, call))) : []
    return {
      title: 'Merge trains',
      refreshes: scope === 'active' && found.items.length > 0,
      body: (
        <div class="derived">
          <Refusal visit={visit} />
          <Chosen visit={visit} scope={scope} branch={branch} />
          {found.items.length === 0 && (
            <Empty title={scope === 'active' ? 'Nothing is on a train.' : 'No train has merged anything lately.'}>
              <p>
                Merge requests on a train are tested together with those before them, and merged one after another. Each
                is added on its page.
              </p>
            </Empty>
          )}
          <ul class="rows">
            {found.items.map((car, index) => (
              <Row visit={visit} car={car} mayRemove={may[index] === true} />
            ))}
          </ul>
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})
