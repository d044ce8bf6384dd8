import type { Reader } from '../../../infra/database/index.ts'
import type { Platform, Ports } from '../../../platform/index.ts'
import { jobsWithEnvironment, retriesOf } from '../../pipelines/index.ts'
import { projectById, settingsOf } from '../../projects/index.ts'
import { environmentNamed } from '../core/store.ts'
import { deploymentsOfJobs, newestSuccessful } from '../deployments/store.ts'
import type { EnvironmentRow } from '../tables.ts'

type Holds = Awaited<ReturnType<Ports['pipelines.holds']>>
type Hold = Holds extends ReadonlyMap<number, infer One> ? One : never
type DeployingJob = Awaited<ReturnType<typeof jobsWithEnvironment>>[number]['job']

/** Whether a job was put in place of another one by a user, which brings an older state back. */
async function isRollback(db: Reader, { pipeline_id, name, retries }: DeployingJob): Promise<boolean> {
  return retries === 0 && ((await retriesOf(db, pipeline_id)).get(name) ?? 0) > 0
}

/** Whether a newer pipeline has deployed to the environment already (contract 24, Deployments). */
async function isOutdated(db: Reader, job: DeployingJob, { id }: EnvironmentRow): Promise<boolean> {
  const project = await projectById(db, job.project_id)
  if (!project) return false
  const { ci_forward_deployment_enabled: isForward, ci_forward_deployment_rollback_allowed: mayRollBack } =
    settingsOf(project)
  if (!isForward) return false
  const live = await newestSuccessful(db, id)
  const [own] = await deploymentsOfJobs(db, [job.id])
  if (!live || !own) return false
  const isNewer = live.pipeline_id === null ? live.id > own.id : live.pipeline_id > job.pipeline_id
  return isNewer && !(mayRollBack && (await isRollback(db, job)))
}

async function holdOf(db: Reader, job: DeployingJob, action: string): Promise<Hold | null> {
  const environment = await environmentNamed(db, job.project_id, job.environment)
  if (!environment) return 'environment_creation_failure'
  if (action === 'start' && (await isOutdated(db, job, environment))) return 'failed_outdated_deployment_job'
  return null
}

/** What holds jobs with an environment up (contract 24, Deployments, Protection). */
export async function holdsOfJobs(
  _platform: Platform,
  db: Reader,
  starting: readonly { id: number; user_id: number | null }[],
): Promise<Holds> {
  const jobs = await jobsWithEnvironment(
    db,
    starting.map(({ id }) => id),
  )
  const holds = new Map<number, Hold>()
  for (const { job, definition } of jobs) {
    const hold = await holdOf(db, job, definition.environment?.action ?? 'start')
    if (hold) holds.set(job.id, hold)
  }
  return holds
}
