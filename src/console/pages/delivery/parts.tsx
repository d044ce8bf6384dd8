import type { Html } from '../../html/index.ts'
import { deploymentsList, environmentsDelete, environmentsStop, type ItemOf } from '../../operations.ts'
import type { Visit } from '../../page.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { pathOfUrl } from '../../parts/discussion/index.ts'
import { Do } from '../../parts/form.tsx'
import { Icon, Status, Time } from '../../parts/parts.tsx'
import { at as atProject, pathOf } from '../code/places.ts'

/** The address of a page about environments. */
export const at = (visit: Visit, rest = ''): string => atProject(visit, `environments${rest}`)

export const crumb = (visit: Visit) => ['Environments', at(visit)] as const

export type Deployment = ItemOf<typeof deploymentsList>
/** A deployment, with or without its environment. */
export type Shipped = Omit<Deployment, 'environment'>

/** What a page shows of an environment. */
export type Shown = { id: number; name: string; state: string; external_url: string | null }

/** A link to the running application. Addresses of other schemes are shown as text: a browser may do anything with them. */
export function External({ url }: { url: string | null }) {
  if (url === null) return <></>
  if (!/^https?:\/\//i.test(url)) return <span class="soft">{url}</span>
  return (
    <a href={url} rel="noreferrer noopener">
      <Icon name="link" /> {url}
    </a>
  )
}

/** What was deployed: the commit, its branch or tag, the job, by whom and when. */
export function Facts({ visit, of }: { visit: Visit; of: Shipped }) {
  const { sha, ref, deployable: job, user, created_at } = of
  const finished = job?.finished_at
  return (
    <p class="sub">
      <a class="sha" href={atProject(visit, `commit/${sha}`)}>
        {sha.slice(0, 8)}
      </a>{' '}
      {job?.commit?.title} ·{' '}
      <a href={atProject(visit, `${job?.tag ? 'tags' : 'tree'}/${pathOf(ref)}`)}>
        <Icon name={job?.tag ? 'tag' : 'branch'} /> {ref}
      </a>
      {job && (
        <>
          {' '}
          · job <a href={pathOfUrl(job.web_url)}>{job.name}</a>
        </>
      )}
      {user && (
        <>
          {' '}
          · by <a href={user.web_url}>{user.name}</a>
        </>
      )}{' '}
      · {finished ? ['finished ', <Time at={finished} />] : <Time at={created_at} />}
    </p>
  )
}

/** The state of a deployment, which leads to its page. */
export function StateOf({ visit, environmentId, of }: { visit: Visit; environmentId: number; of: Shipped }) {
  return <Status status={of.status} href={at(visit, `/${environmentId}/deployments/${of.id}`)} />
}

/** The button that an environment has in its state. */
function buttonOf(visit: Visit, { id: environment_id, name, state }: Shown) {
  const call = { id: visit.project.id, environment_id }
  const quiet = { ...visit, refused: null }
  if (state === 'stopped') {
    return (
      <Confirm label="Delete" question={`Delete ${name} with its deployments?`}>
        <Do visit={quiet} performs={environmentsDelete} call={call} then={at(visit)} kind="danger">
          Delete the environment
        </Do>
      </Confirm>
    )
  }
  const isStopping = state === 'stopping'
  const question = isStopping
    ? `Stop ${name} without waiting for its stop job?`
    : `Stop ${name}? Its stop job runs, if it has one.`
  return (
    <Confirm label="Stop" question={question}>
      <Do
        visit={quiet}
        performs={environmentsStop}
        call={{ ...call, ...(isStopping && { force: true }) }}
        kind="danger"
      >
        Stop the environment
      </Do>
    </Confirm>
  )
}

/** The button of each of some environments, in their order; null where the caller may not use it. */
export async function readButtons(visit: Visit, environments: readonly Shown[]): Promise<(Html | null)[]> {
  const performs = ({ state }: Shown) => (state === 'stopped' ? environmentsDelete : environmentsStop)
  const may = new Map<number, boolean>()
  for (const [operation, some] of Map.groupBy(environments, performs)) {
    const calls = some.map(({ id: environment_id }) => ({ id: visit.project.id, environment_id }))
    const answers = await visit.mayEach(operation, calls)
    for (const [index, { id }] of some.entries()) may.set(id, answers[index] === true)
  }
  return environments.map((one) => (may.get(one.id) ? buttonOf(visit, one) : null))
}

/** Which deployments a page names. */
type Filter = { job_id?: number; pipeline_id?: number; sha?: string; merge_request_iid?: number; status?: 'success' }

const mostNamed = 5

/** Where something was deployed, newest first, with links to the deployments; null where it was not, or the caller may not read it. */
export async function readDeployed(visit: Visit, filter: Filter) {
  const asked = { id: visit.project.id, ...filter, order_by: 'id', sort: 'desc', per_page: mostNamed } as const
  const found = await visit.find(deploymentsList, asked)
  if (!found || found.items.length === 0) return null
  return (
    <p class="deployed">
      {found.items.every(({ status }) => status === 'success') ? 'Deployed to' : 'Deployments:'}{' '}
      {found.items.map((of) => (
        <>
          <a href={at(visit, `/${of.environment?.id}`)}>{of.environment?.name}</a>{' '}
          <StateOf visit={visit} environmentId={of.environment?.id ?? 0} of={of} />{' '}
        </>
      ))}
      {found.hasNext && <span class="soft">and more</span>}
    </p>
  )
}
