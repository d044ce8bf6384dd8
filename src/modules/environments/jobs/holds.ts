import type { Reader } from '../../../infra/database/index.ts'
import type { Platform, Ports } from '../../../platform/index.ts'
import { jobsWithEnvironment, retriesOf } from '../../pipelines/index.ts'
import { projectById, settingsOf } from '../../projects/index.ts'
import { type DeployAccess, type Deployer, deployAccess } from '../../protected-environments/index.ts'
import { usersByIds } from '../../users/index.ts'
import { approvalProgress, type Progress } from '../approvals/progress.ts'
import { environmentsNamed } from '../core/store.ts'
import { deploymentsOfJobs, newestSuccessfulOf } from '../deployments/store.ts'
import type { DeploymentRow, EnvironmentRow } from '../tables.ts'

type Holds = Awaited<ReturnType<Ports['pipelines.holds']>>
type Hold = Holds extends ReadonlyMap<number, infer One> ? One : never
type DeployingJob = Awaited<ReturnType<typeof jobsWithEnvironment>>[number]['job']

type Starting = Parameters<Ports['pipelines.holds']>[2][number]

/** What holds jobs of one pipeline up is found from this. */
type Compared = {
  environments: ReadonlyMap<string, EnvironmentRow>
  /** The newest successful deployments, by environment; none where the order of deployments does not matter. */
  live: ReadonlyMap<number, DeploymentRow>
  /** The deployments of the jobs themselves, by job. */
  own: ReadonlyMap<number | null, DeploymentRow>
  /** How often jobs were replaced, by name; null: to bring an older state back is not allowed. */
  retries: ReadonlyMap<string, number> | null
  access: DeployAccess
  /** What is missing of the approvals that deployments of the jobs need, by deployment. */
  progress: ReadonlyMap<number, Progress>
}

async function comparedOf(
  platform: Platform,
  db: Reader,
  jobs: readonly DeployingJob[],
  userIds: readonly number[],
): Promise<Compared | null> {
  const [first] = jobs
  const project = first && (await projectById(db, first.project_id))
  if (!project) return null
  const names = [...new Set(jobs.map(({ environment }) => environment))]
  const environments = await environmentsNamed(db, project.id, names)
  const access = await deployAccess(platform, db, project, [...environments.values()], userIds)
  const settings = settingsOf(project)
  const inOrder = settings.ci_forward_deployment_enabled ? [...environments.values()] : []
  const live = await newestSuccessfulOf(
    db,
    inOrder.map(({ id }) => id),
  )
  const needsApprovals = [...environments.values()].some((one) => access.approvalRules(one).length > 0)
  const jobIds = live.size === 0 && !needsApprovals ? [] : jobs.map(({ id }) => id)
  const own = new Map((await deploymentsOfJobs(db, jobIds)).map((row) => [row.job_id, row]))
  const mayRollBack = settings.ci_forward_deployment_rollback_allowed && live.size > 0
  const retries = mayRollBack ? await retriesOf(db, first.pipeline_id) : null
  const progress = needsApprovals ? await approvalProgress(platform, db, project, [...own.values()]) : new Map()
  return { environments, live, own, retries, access, progress }
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

/** Whether no approval is missing. A job whose deployment was deleted has none. */
function isApproved({ own, progress }: Compared, { id }: DeployingJob): boolean {
  return progress.get(own.get(id)?.id ?? 0)?.missing === 0
}

/** Jobs with these actions only look at an environment, which therefore need not be open to them. */
const exempt: ReadonlySet<string> = new Set(['access', 'verify'])

function holdOf(compared: Compared, job: DeployingJob, action: string, deployer: Deployer | undefined): Hold | null {
  const environment = compared.environments.get(job.environment)
  if (!environment) return 'environment_creation_failure'
  const { access } = compared
  const mayDeploy = deployer ? access.mayDeploy(environment, deployer) : !access.isProtected(environment)
  if (!mayDeploy && !exempt.has(action)) return 'protected_environment_failure'
  if (action !== 'start') return null
  if (isOutdated(compared, job, environment)) return 'failed_outdated_deployment_job'
  return access.approvalRules(environment).length > 0 && !isApproved(compared, job) ? 'approval' : null
}

/** Who would start jobs, by job; users who are gone are absent. */
async function deployersOf(db: Reader, starting: readonly Starting[]): Promise<ReadonlyMap<number, Deployer>> {
  const users = await usersByIds(db, [...new Set(starting.flatMap(({ user_id }) => user_id ?? []))])
  return new Map(
    starting.flatMap(({ id, user_id, administrator }): [number, Deployer][] => {
      const user = users.get(user_id ?? 0)
      return user ? [[id, { userId: user.id, administrator: administrator ?? user.is_admin }]] : []
    }),
  )
}

/** What holds jobs of one pipeline with an environment up (contract 24, Deployments, Protection). */
export async function holdsOfJobs(platform: Platform, db: Reader, starting: readonly Starting[]): Promise<Holds> {
  const jobs = await jobsWithEnvironment(
    db,
    starting.map(({ id }) => id),
  )
  const holds = new Map<number, Hold>()
  if (jobs.length === 0) return holds
  const deployers = await deployersOf(db, starting)
  const compared = await comparedOf(
    platform,
    db,
    jobs.map(({ job }) => job),
    [...deployers.values()].map(({ userId }) => userId),
  )
  if (!compared) return holds
  for (const { job, definition } of jobs) {
    const hold = holdOf(compared, job, definition.environment?.action ?? 'start', deployers.get(job.id))
    if (hold) holds.set(job.id, hold)
  }
  return holds
}
