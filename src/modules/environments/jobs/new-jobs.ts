import { ApiError } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { nextInternalIds } from '../../../platform/internal-ids/index.ts'
import { jobsWithEnvironment, pipelineById } from '../../pipelines/index.ts'
import { ensureEnvironment } from '../core/environments.ts'
import { insertDeployments } from '../deployments/store.ts'
import { type EnvironmentRow, tiers } from '../tables.ts'

type DeployingJob = Awaited<ReturnType<typeof jobsWithEnvironment>>[number]

/** The environment of a job, which is made if it is missing; null when it cannot be made, so that the job will fail. */
async function environmentOf(
  platform: Platform,
  tx: Tx,
  { job, definition }: DeployingJob,
): Promise<EnvironmentRow | null> {
  const tier = tiers.find((known) => known === definition.environment?.tier)
  try {
    return await ensureEnvironment(platform, tx, job.project_id, { name: job.environment, tier })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return null
  }
}

/** Makes the environments of new jobs, and a deployment for each job that deploys (contract 24, Environments in CI, Deployments). */
export const deployWithNewJobs: Reaction<Events['deploying_jobs.created']> = async (
  platform,
  tx,
  { projectId, pipelineId, jobIds },
) => {
  const [jobs, pipeline] = [await jobsWithEnvironment(tx, jobIds), await pipelineById(tx, pipelineId)]
  const environments = new Map<string, EnvironmentRow | null>()
  for (const one of jobs) {
    const name = one.job.environment
    if (!environments.has(name)) environments.set(name, await environmentOf(platform, tx, one))
  }
  const deploying = jobs.flatMap(({ job, definition: { environment: wanted } }) => {
    const environment = environments.get(job.environment)
    return environment && wanted?.action === 'start' ? [{ job, environment, onStop: wanted.onStop ?? null }] : []
  })
  if (deploying.length === 0) return
  const first = await nextInternalIds(tx, { projectId }, 'deployments', deploying.length)
  const moment = now(platform.clock)
  await insertDeployments(
    tx,
    deploying.map(({ job, environment, onStop }, index) => ({
      ...{ project_id: projectId, environment_id: environment.id, iid: first + index, by_job: true },
      ...{ ref: job.ref, tag: pipeline?.tag ?? false, sha: job.sha, status: 'created' as const },
      ...{ user_id: job.user_id, job_id: job.id, pipeline_id: pipelineId, on_stop: onStop },
      ...{ created_at: moment, updated_at: moment },
    })),
  )
}
