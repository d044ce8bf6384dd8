import type { Tx } from '../../../infra/database/index.ts'
import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { type CiJobRow, jobsWithEnvironment } from '../../pipelines/index.ts'
import { protectionOf } from '../core/protection.ts'
import { environmentById, environmentNamed, moveEnvironment } from '../core/store.ts'
import { autoStopAt, setStatus } from '../deployments/statuses.ts'
import { deploymentsOfJobs } from '../deployments/store.ts'
import { endStopping, stopNow } from '../stopping/states.ts'
import type { DeploymentRow, DeploymentStatus, EnvironmentRow } from '../tables.ts'

/** The statuses of deployments by those of their jobs; a job in another one leaves its deployment (contract 24, Deployments). */
const followed: Partial<Record<CiJobRow['status'], DeploymentStatus>> = {
  running: 'running',
  success: 'success',
  failed: 'failed',
  canceled: 'canceled',
  skipped: 'skipped',
}

/** What the end of a stop job means for its environment. */
async function followStopJob(platform: Platform, tx: Tx, job: CiJobRow, { id }: EnvironmentRow): Promise<void> {
  if (job.status === 'success') await stopNow(platform, tx, id)
  if (job.status === 'failed' || job.status === 'canceled') await endStopping(platform, tx, id)
}

/** `blocked`, for the deployment of a job that waits in an environment which needs approvals since it was created. */
async function blockedStatus(
  platform: Platform,
  tx: Tx,
  { status, project_id }: CiJobRow,
  deployment: DeploymentRow | undefined,
): Promise<DeploymentStatus | undefined> {
  if (status !== 'manual' || deployment?.status !== 'created') return undefined
  const environment = await environmentById(tx, deployment.environment_id)
  if (!environment) return undefined
  const { approvalRules } = await protectionOf(platform, tx, project_id, [environment])
  return approvalRules(environment).length > 0 ? 'blocked' : undefined
}

/** Has deployments and environments follow their jobs (contract 24, Environments in CI, Deployments). */
export const followDeployingJobs: Reaction<Events['deploying_jobs.changed']> = async (
  platform,
  tx,
  { projectId, jobIds },
) => {
  const jobs = await jobsWithEnvironment(tx, jobIds)
  const deployments = new Map((await deploymentsOfJobs(tx, jobIds)).map((row) => [row.job_id, row]))
  for (const { job, definition } of jobs) {
    const { action = 'start', autoStopIn = null } = definition.environment ?? {}
    const deployment = deployments.get(job.id)
    const status = followed[job.status] ?? (await blockedStatus(platform, tx, job, deployment))
    if (deployment && status && status !== deployment.status) {
      await setStatus(platform, tx, deployment, status, autoStopIn)
    }
    if (action === 'start' || action === 'verify') continue
    const environment = await environmentNamed(tx, projectId, job.environment)
    if (!environment) continue
    if (action === 'stop') await followStopJob(platform, tx, job, environment)
    else if (job.status === 'success') {
      const auto_stop_at = autoStopAt(platform, autoStopIn)
      // One that is stopped would stay due forever.
      if (auto_stop_at !== undefined) await moveEnvironment(tx, environment.id, ['available'], { auto_stop_at })
    }
  }
}
