import { now } from '../../../infra/database/index.ts'
import type { Events, Reaction } from '../../../platform/index.ts'
import { nextInternalIds } from '../../../platform/internal-ids/index.ts'
import { jobsWithEnvironment, pipelineById } from '../../pipelines/index.ts'
import { ensureEnvironments } from '../core/environments.ts'
import { protectionOf } from '../core/protection.ts'
import { insertDeployments } from '../deployments/store.ts'
import { type Tier, tiers } from '../tables.ts'

type DeployingJob = Awaited<ReturnType<typeof jobsWithEnvironment>>[number]

/** The names of the environments of jobs, with the tier that the first job of each gives. */
function wantedBy(jobs: readonly DeployingJob[]): Map<string, Tier | undefined> {
  const wanted = new Map<string, Tier | undefined>()
  for (const { job, definition } of jobs) {
    if (wanted.has(job.environment)) continue
    wanted.set(
      job.environment,
      tiers.find((known) => known === definition.environment?.tier),
    )
  }
  return wanted
}

/** Makes the environments of new jobs, and a deployment for each job that deploys (contract 24, Environments in CI, Deployments). */
export const deployWithNewJobs: Reaction<Events['deploying_jobs.created']> = async (
  platform,
  tx,
  { projectId, pipelineId, jobIds },
) => {
  const [jobs, pipeline] = [await jobsWithEnvironment(tx, jobIds), await pipelineById(tx, pipelineId)]
  // A job without an environment fails when it would start.
  const environments = await ensureEnvironments(platform, tx, projectId, wantedBy(jobs))
  const deploying = jobs.flatMap(({ job, definition: { environment: wanted } }) => {
    const environment = environments.get(job.environment)
    return environment && wanted?.action === 'start' ? [{ job, environment, onStop: wanted.onStop ?? null }] : []
  })
  if (deploying.length === 0) return
  const { approvalRules } = await protectionOf(
    platform,
    tx,
    projectId,
    deploying.map(({ environment }) => environment),
  )
  const first = await nextInternalIds(tx, { projectId }, 'deployments', deploying.length)
  const moment = now(platform.clock)
  await insertDeployments(
    tx,
    deploying.map(({ job, environment, onStop }, index) => ({
      ...{ project_id: projectId, environment_id: environment.id, iid: first + index, by_job: true },
      ...{ ref: job.ref, tag: pipeline?.tag ?? false, sha: job.sha },
      status: approvalRules(environment).length > 0 ? ('blocked' as const) : ('created' as const),
      ...{ user_id: job.user_id, job_id: job.id, pipeline_id: pipelineId, on_stop: onStop },
      ...{ created_at: moment, updated_at: moment },
    })),
  )
}
