import type { Reader, Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { CiJobRow } from '../tables.ts'
import type { FailureReason } from './failures.ts'

/** Why a job with an environment does not start: it waits for approvals, or fails for a reason. */
type Hold = 'approval' | FailureReason

/** A job, and who would start it. */
type Starting = Pick<CiJobRow, 'id' | 'environment' | 'user_id'> & {
  /** Whether it would be started with administrator rights; without it, whether the user is an administrator. */
  administrator?: boolean
}

type JobsOfPipeline = { projectId: number; pipelineId: number; jobIds: readonly number[] }

declare module '../../../platform/platform.ts' {
  interface Events {
    /** Jobs with an environment were created, with a pipeline or in place of others. Jobs without one may be among them. */
    'deploying_jobs.created': JobsOfPipeline
    /** Jobs with an environment have another status. */
    'deploying_jobs.changed': JobsOfPipeline
  }
  interface Questions {
    /** What holds jobs with an environment up, by their ids; those that may start are left out (contract 24, Protection). */
    'pipelines.holds'(db: Reader, jobs: readonly Starting[]): Promise<ReadonlyMap<number, Hold>>
  }
}

/** What holds these jobs up, by their ids. Jobs without an environment start. */
export async function holdsOf(
  platform: Platform,
  db: Reader,
  jobs: readonly Starting[],
): Promise<ReadonlyMap<number, Hold>> {
  const deploying = jobs.filter(({ environment }) => environment !== null)
  return deploying.length === 0 ? new Map() : platform.ports['pipelines.holds'](platform, db, deploying)
}

/** Why a job that waits for a runner must fail in place of running; null when it may run. */
export async function startProblem(platform: Platform, job: Starting): Promise<FailureReason | null> {
  const hold = (await holdsOf(platform, platform.database.read, [job])).get(job.id)
  return hold === undefined || hold === 'approval' ? null : hold
}

/** Tells that jobs of a pipeline were created. @param jobIds those with an environment, perhaps among others */
export async function followNew(
  platform: Platform,
  tx: Tx,
  { id: pipelineId, project_id: projectId }: { id: number; project_id: number },
  jobIds: readonly number[],
): Promise<void> {
  if (jobIds.length > 0) await react(platform, tx, 'deploying_jobs.created', { projectId, pipelineId, jobIds })
}

/** Tells that jobs were created in place of others, if these have an environment. */
export async function followReplaced(
  platform: Platform,
  tx: Tx,
  former: readonly CiJobRow[],
  jobIds: readonly number[],
): Promise<void> {
  const one = former.find(({ environment }) => environment !== null)
  if (one) await followNew(platform, tx, { id: one.pipeline_id, project_id: one.project_id }, jobIds)
}

/** Tells that those of these jobs which have an environment have another status. */
export async function followChanged(
  platform: Platform,
  tx: Tx,
  { id: pipelineId, project_id: projectId }: { id: number; project_id: number },
  jobs: readonly Pick<CiJobRow, 'id' | 'environment'>[],
): Promise<void> {
  const jobIds = jobs.filter(({ environment }) => environment !== null).map(({ id }) => id)
  if (jobIds.length > 0) await react(platform, tx, 'deploying_jobs.changed', { projectId, pipelineId, jobIds })
}
