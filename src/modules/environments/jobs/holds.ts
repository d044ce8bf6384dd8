import type { Reader } from '../../../infra/database/index.ts'
import type { Platform, Ports } from '../../../platform/index.ts'
import { jobsWithEnvironment, retriesOf } from '../../pipelines/index.ts'
import { projectById, settingsOf } from '../../projects/index.ts'
import { environmentsNamed } from '../core/store.ts'
import { deploymentsOfJobs, newestSuccessfulOf } from '../deployments/store.ts'
import type { DeploymentRow, EnvironmentRow } from '../tables.ts'

type Holds = Awaited<ReturnType<Ports['pipelines.holds']>>
type Hold = Holds extends ReadonlyMap<number, infer One> ? One : never
type DeployingJob = Awaited<ReturnType<typeof jobsWithEnvironment>>[number]['job']

/** What is compared with newer deployments; all jobs are of one pipeline. */
type Compared = {
  environments: ReadonlyMap<string, EnvironmentRow>
  /** The newest successful deployments, by environment; none where the order of deployments does not matter. */
  live: ReadonlyMap<number, DeploymentRow>
  /** The deployments of the jobs themselves, by job. */
  own: ReadonlyMap<number | null, DeploymentRow>
  /** How often jobs were replaced, by name; null: to bring an older state back is not allowed. */
  retries: ReadonlyMap<string, number> | null
}

async function comparedOf(db: Reader, jobs: readonly DeployingJob[]): Promise<Compared | null> {
  const [first] = jobs
  const project = first && (await projectById(db, first.project_id))
  if (!project) return null
  const names = [...new Set(jobs.map(({ environment }) => environment))]
  const environments = await environmentsNamed(db, project.id, names)
  const settings = settingsOf(project)
  const inOrder = settings.ci_forward_deployment_enabled ? [...environments.values()] : []
  const live = await newestSuccessfulOf(
    db,
    inOrder.map(({ id }) => id),
  )
  const jobIds = live.size === 0 ? [] : jobs.map(({ id }) => id)
  const own = new Map((await deploymentsOfJobs(db, jobIds)).map((row) => [row.job_id, row]))
  const mayRollBack = settings.ci_forward_deployment_rollback_allowed && live.size > 0
  return { environments, live, own, retries: mayRollBack ? await retriesOf(db, first.pipeline_id) : null }
}

/** Whether a newer pipeline has deployed to the environment already (contract 24, Deployments). */
function isOutdated({ live, own, retries }: Compared, job: DeployingJob, { id }: EnvironmentRow): boolean {
  const [newest, ownRow] = [live.get(id), own.get(job.id)]
  if (!newest || !ownRow) return false
  const isNewer = newest.pipeline_id === null ? newest.id > ownRow.id : newest.pipeline_id > job.pipeline_id
  // A user has put the job in place of another one, which brings an older state back.
  const isRollback = job.retries === 0 && (retries?.get(job.name) ?? 0) > 0
  return isNewer && !isRollback
}

function holdOf(compared: Compared, job: DeployingJob, action: string): Hold | null {
  const environment = compared.environments.get(job.environment)
  if (!environment) return 'environment_creation_failure'
  return action === 'start' && isOutdated(compared, job, environment) ? 'failed_outdated_deployment_job' : null
}

/** What holds jobs of one pipeline with an environment up (contract 24, Deployments, Protection). */
export async function holdsOfJobs(
  _platform: Platform,
  db: Reader,
  starting: readonly { id: number; user_id: number | null }[],
): Promise<Holds> {
  const jobs = await jobsWithEnvironment(
    db,
    starting.map(({ id }) => id),
  )
  const compared = await comparedOf(
    db,
    jobs.map(({ job }) => job),
  )
  const holds = new Map<number, Hold>()
  if (!compared) return holds
  for (const { job, definition } of jobs) {
    const hold = holdOf(compared, job, definition.environment?.action ?? 'start')
    if (hold) holds.set(job.id, hold)
  }
  return holds
}
