import type { Updateable } from 'kysely'
import { now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { isFrozen } from '../../freeze-periods/index.ts'
import type { CiJobRow, CiJobsTable } from '../tables.ts'
import { followChanged, followReplaced, holdsOf } from './deploying.ts'
import { failureReason, hasRetryLeft } from './failures.ts'
import { assignResourcesLater, finishTracesLater } from './later.ts'
import { changesOf, lockPipeline, processPipeline } from './process.ts'
import { replaceJobs } from './store/replacements.ts'
import * as store from './store/states.ts'
import { unfinishedJobs } from './store/states.ts'
import { isFinished, type JobEvent, transitions } from './transitions.ts'

/** A job, or what identifies it and its pipeline. */
type JobKey = Pick<CiJobRow, 'id' | 'pipeline_id'>
type JobOfProject = JobKey & Pick<CiJobRow, 'project_id'>

/** Changes jobs of a pipeline without processing it. @returns the jobs that were in a state from which the event leads */
async function applyEvent(
  platform: Platform,
  tx: Tx,
  { pipelineId, ids, event }: { pipelineId: number; ids: readonly number[]; event: JobEvent },
  changes: Updateable<CiJobsTable> = {},
): Promise<CiJobRow[]> {
  await lockPipeline(tx, pipelineId)
  const { from, to } = transitions[event]
  const rows = await store.moveJobs(tx, ids, from, { ...changesOf(event, now(platform.clock)), ...changes })
  const [first] = rows
  if (!first) return []
  const isReleased = isFinished(to)
  if (isReleased || to === 'waiting_for_resource') await assignResourcesLater(platform, tx, first.project_id, rows)
  const ran = isReleased ? rows.filter(({ started_at }) => started_at !== null) : []
  await finishTracesLater(
    platform,
    tx,
    ran.map(({ id }) => id),
  )
  const jobIds = rows.map(({ id }) => id)
  await react(platform, tx, 'ci_jobs.changed', { pipelineId, projectId: first.project_id, jobIds })
  await followChanged(platform, tx, { id: pipelineId, project_id: first.project_id }, rows)
  return rows
}

/** Changes jobs of one pipeline and processes it. @returns the jobs that changed */
export async function transitionJobs(
  platform: Platform,
  tx: Tx,
  target: { pipelineId: number; ids: readonly number[]; event: JobEvent },
  changes: Updateable<CiJobsTable> = {},
): Promise<CiJobRow[]> {
  const rows = await applyEvent(platform, tx, target, changes)
  if (rows.length > 0 && !(await isKnownToRun(tx, target))) await processPipeline(platform, tx, target.pipelineId)
  return rows
}

/** Whether a job begins to run in a pipeline that runs already: nothing follows from it. */
async function isKnownToRun(tx: Tx, { pipelineId, event }: { pipelineId: number; event: JobEvent }): Promise<boolean> {
  if (event !== 'run') return false
  const pipeline = await store.pipelineById(tx, pipelineId)
  return pipeline?.status === 'running' && pipeline.started_at !== null
}

/**
 * Changes the status of a job by an event, if it is in a state from which the event leads, and processes its pipeline.
 * Concurrent events of one job exclude each other: one gets the row, the others null.
 * @param changes further columns, such as the runner and the token digest of a job that begins to run
 * @returns the changed row; null when the job is in another state
 */
export async function transitionJob(
  platform: Platform,
  tx: Tx,
  { id, pipeline_id: pipelineId }: JobKey,
  event: JobEvent,
  changes: Updateable<CiJobsTable> = {},
): Promise<CiJobRow | null> {
  return (await transitionJobs(platform, tx, { pipelineId, ids: [id], event }, changes))[0] ?? null
}

/** How a job ended, as its runner reports it. */
export type JobOutcome = {
  state: 'success' | 'failed'
  /** Any text: unknown ones are stored as `unknown_failure`. */
  failureReason?: string | undefined
  exitCode?: number | undefined
}

/**
 * Records the end of a running job (contract 04, x.runner_job_update): a job that is being canceled becomes canceled, a
 * failure may be allowed by its exit code, and a failed job is replaced by a new one while its retries last.
 * @returns the ended job; null when it was not running
 */
export async function finishJob(platform: Platform, job: JobOfProject, outcome: JobOutcome): Promise<CiJobRow | null> {
  const frozen = outcome.state === 'failed' && (await isFrozenNow(platform, job))
  return platform.database.write((tx) => finishJobIn(platform, tx, job, { ...outcome, frozen }))
}

async function finishJobIn(
  platform: Platform,
  tx: Tx,
  job: JobKey,
  { state, failureReason: reason, exitCode, frozen }: JobOutcome & { frozen: boolean },
): Promise<CiJobRow | null> {
  const target = { pipelineId: job.pipeline_id, ids: [job.id] }
  const [canceled] = await applyEvent(platform, tx, { ...target, event: 'end_canceling' })
  if (canceled) {
    await processPipeline(platform, tx, job.pipeline_id)
    return canceled
  }
  if (state === 'success') return transitionJob(platform, tx, job, 'succeed')
  const definition = await store.definitionOf(tx, job.id)
  const isAllowed = exitCode !== undefined && (definition?.allowFailureExitCodes.includes(exitCode) ?? false)
  const changes = isAllowed ? { allow_failure: true } : {}
  return failJobIn(platform, tx, job, failureReason(reason), { frozen, changes })
}

/** Whether a job that replaces another one is created in a freeze period. Asked before the transaction that locks the pipeline. */
export const isFrozenNow = (platform: Platform, { project_id }: Pick<CiJobRow, 'project_id'>): Promise<boolean> =>
  isFrozen(platform, platform.database.read, project_id)

/** @property event `refuse` fails only a job that no runner has taken */
type Failing = { event?: 'fail' | 'refuse'; changes?: Updateable<CiJobsTable> }

/**
 * Fails a job that has not ended, and retries it while its retries last.
 * @param reason one of `failureReasons`
 * @returns the failed job; null when it had ended
 */
export async function failJob(
  platform: Platform,
  job: JobOfProject,
  reason: string,
  how: Failing = {},
): Promise<CiJobRow | null> {
  const frozen = await isFrozenNow(platform, job)
  return platform.database.write((tx) => failJobIn(platform, tx, job, reason, { ...how, frozen }))
}

/** As `failJob`, in a transaction. @param how.frozen what `isFrozenNow` said before it */
export async function failJobIn(
  platform: Platform,
  tx: Tx,
  job: JobKey,
  reason: string,
  { event = 'fail', changes = {}, frozen }: Failing & { frozen: boolean },
): Promise<CiJobRow | null> {
  const target = { pipelineId: job.pipeline_id, ids: [job.id], event }
  const [failed] = await applyEvent(platform, tx, target, { ...changes, failure_reason: reason })
  if (!failed) return null
  const definition = await store.definitionOf(tx, job.id)
  if (definition && hasRetryLeft(failed, definition.retry)) {
    const ids = await replaceJobs(tx, [failed], {
      ...{ moment: now(platform.clock), retries: failed.retries + 1, frozen },
    })
    await followReplaced(platform, tx, [failed], ids)
    await enqueueCreated(platform, tx, job.pipeline_id, ids)
  }
  await processPipeline(platform, tx, job.pipeline_id)
  return failed
}

/**
 * Queues jobs without asking for what they wait for, unless their deployments are held up: these wait for approvals, or fail. The
 * pipeline has to be processed afterwards.
 */
export async function enqueueCreated(platform: Platform, tx: Tx, pipelineId: number, ids: readonly number[]) {
  const jobs = await store.jobsByIds(tx, ids)
  const holds = await holdsOf(platform, tx, jobs)
  const eventOf = ({ id, resource_group }: CiJobRow): JobEvent => {
    const hold = holds.get(id)
    if (hold !== undefined) return hold === 'approval' ? 'hold' : 'fail'
    return resource_group === null ? 'enqueue' : 'wait_for_resource'
  }
  for (const [key, some] of Map.groupBy(jobs, (job) => `${eventOf(job)} ${holds.get(job.id) ?? ''}`)) {
    const [event, reason] = key.split(' ') as [JobEvent, string]
    const changes = event === 'fail' ? { failure_reason: reason } : { start_at: null }
    await applyEvent(platform, tx, { pipelineId, ids: some.map(({ id }) => id), event }, changes)
  }
}

/** Queues a delayed job that is due, and processes its pipeline. */
export async function startDelayedJob(platform: Platform, tx: Tx, { id, pipeline_id }: JobKey): Promise<void> {
  await lockPipeline(tx, pipeline_id)
  const job = await store.jobById(tx, id)
  if (job?.status !== 'scheduled') return
  await enqueueCreated(platform, tx, pipeline_id, [id])
  await processPipeline(platform, tx, pipeline_id)
}

/**
 * Cancels those of the jobs that have not ended (contract 04, "Statuses"). A running job whose runner announced
 * `cancel_gracefully` is `canceling` until the runner reports its end.
 * @returns the number of jobs that changed
 */
export async function cancelJobs(
  platform: Platform,
  tx: Tx,
  pipelineId: number,
  jobs: readonly Pick<CiJobRow, 'id' | 'cancels_gracefully' | 'status'>[],
): Promise<number> {
  const isGraceful = ({ cancels_gracefully, status }: (typeof jobs)[number]) =>
    cancels_gracefully && status === 'running'
  const graceful = jobs.filter(isGraceful).map(({ id }) => id)
  const others = jobs.filter((job) => !isGraceful(job)).map(({ id }) => id)
  const canceling = await applyEvent(platform, tx, { pipelineId, ids: graceful, event: 'cancel_gracefully' })
  const canceled = await applyEvent(platform, tx, { pipelineId, ids: others, event: 'cancel' })
  const count = canceling.length + canceled.length
  if (count > 0) await processPipeline(platform, tx, pipelineId)
  return count
}

/** Cancels all jobs of a pipeline that have not ended. @returns their number */
export async function cancelPipeline(platform: Platform, tx: Tx, pipelineId: number): Promise<number> {
  await lockPipeline(tx, pipelineId)
  return cancelJobs(platform, tx, pipelineId, await unfinishedJobs(tx, pipelineId))
}
