import type { Html } from '../../html/index.ts'
import {
  deploymentsList,
  environmentsDelete,
  environmentsGet,
  environmentsStop,
  environmentsUpdate,
  jobsPlay,
  jobsRetry,
} from '../../operations.ts'
import { numberIn, page, type Visit } from '../../page.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Do } from '../../parts/form.tsx'
import { Empty, Pages, Time } from '../../parts/parts.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { at as atProject } from '../code/places.ts'
import { at, crumb, External, Facts, readButtons, type Shipped, StateOf } from './parts.tsx'

/** The newest successful deployment of an environment: what runs there. */
export async function readLive(visit: Visit, environment: string) {
  const newest = { environment, status: 'success', order_by: 'id', sort: 'desc', per_page: 1 } as const
  return (await visit.read(deploymentsList, { id: visit.project.id, ...newest })).items[0] ?? null
}

/** Whether jobs of older deployments are run again here, as far as the caller sees the settings of the project. */
function mayRollBack({ project }: Visit): boolean {
  const { ci_forward_deployment_enabled: isInOrder, ci_forward_deployment_rollback_allowed: isAllowed } = project
  return isAllowed !== false || isInOrder === false
}

/** What runs the job of a deployment again, in words; null where that has no use. */
function wayOf({ id, status }: Shipped, live: Shipped | null, mayRollBack: boolean) {
  if (live?.id === id) return { label: 'Deploy again', what: 'It deploys the same commit.' }
  if (live && id < live.id) {
    return status === 'success' && mayRollBack
      ? { label: 'Roll back', what: 'The environment has this older commit then.' }
      : null
  }
  return { label: 'Deploy again', what: 'It deploys this commit.' }
}

/** The job of a deployment is run, or run again: of an older one that is a rollback. Null where the API refuses it. */
export async function readDeployAgain(visit: Visit, of: Shipped, live: Shipped | null): Promise<Html | null> {
  const { deployable: job, sha } = of
  const way = wayOf(of, live, mayRollBack(visit))
  if (!job || !way) return null
  const isWaiting = job.status === 'manual' || job.status === 'scheduled'
  const operation = isWaiting ? jobsPlay : jobsRetry
  const call = { id: visit.project.id, job_id: job.id }
  if (!(await visit.may(operation, call))) return null
  const label = isWaiting ? 'Deploy' : way.label
  return (
    <Confirm
      label={label}
      question={`The job ${job.name} of pipeline #${job.pipeline.id} runs for ${sha.slice(0, 8)} (${of.ref}). ${way.what}`}
    >
      {live && live.sha !== sha && (
        <p>
          <a href={atProject(visit, `compare/${live.sha}...${sha}`)}>What differs from what runs now</a>
        </p>
      )}
      <Do visit={{ ...visit, refused: null }} performs={operation} call={call} then=":made" kind="primary">
        {label}
      </Do>
    </Confirm>
  )
}

/** An environment with its deployments, newest first. */
export const environment = page({
  at: 'project',
  path: 'environments/:environment',
  performs: [environmentsStop, environmentsDelete, jobsPlay, jobsRetry],
  async show(visit) {
    const { id } = visit.project
    const call = { id, environment_id: numberIn(visit, 'environment') }
    const one = await visit.read(environmentsGet, call)
    const listed = { environment: one.name, order_by: 'id', sort: 'desc', page: visit.number } as const
    const [found, live, mayChange, buttons] = await Promise.all([
      visit.read(deploymentsList, { id, ...listed }),
      readLive(visit, one.name),
      visit.may(environmentsUpdate, call),
      readButtons(visit, [one]),
    ])
    const rows = await Promise.all(
      found.items.map(async (of) => ({ of, again: await readDeployAgain(visit, of, live) })),
    )
    return {
      title: one.name,
      crumbs: [crumb(visit)],
      actions: (
        <>
          {mayChange && (
            <a class="button" href={at(visit, `/${one.id}/edit`)}>
              Edit
            </a>
          )}
          {buttons}
        </>
      ),
      body: (
        <div class="derived">
          <Refusal visit={visit} />
          <p>
            <span class="tagged">{one.state}</span>
            <span class="tagged">{one.tier}</span> <External url={one.external_url} />
          </p>
          {one.description && <p>{one.description}</p>}
          {one.auto_stop_at && (
            <p class="note-line">
              Stops by itself <Time at={one.auto_stop_at} isExact />
            </p>
          )}
          <h2>Deployments</h2>
          {rows.length === 0 && <Empty title="Nothing was deployed here yet." />}
          <ul class="rows">
            {rows.map(({ of, again }) => (
              <li>
                <div class="grow">
                  <span class="strong">#{of.iid}</span> <StateOf visit={visit} environmentId={one.id} of={of} />
                  {live?.id === of.id && <span class="tagged good">runs now</span>}
                  <Facts visit={visit} of={of} />
                </div>
                {again}
              </li>
            ))}
          </ul>
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})
