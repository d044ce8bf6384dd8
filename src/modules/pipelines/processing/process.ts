import type { Updateable } from 'kysely'
import { acquireLock, now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { CiJobsTable, PipelineRow } from '../tables.ts'
import { decide, type JobState } from './decisions.ts'
import { followChanged, holdsOf } from './deploying.ts'
import { assignResourcesLater, releaseRefLater } from './later.ts'
import { pipelineStatus } from './pipeline-status.ts'
import * as store from './store/states.ts'
import { isFinished, type JobEvent, transitions } from './transitions.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    /** A pipeline has another status. */
    'pipeline.changed': { pipelineId: number; projectId: number }
    /** Jobs of one pipeline have another status. */
    'ci_jobs.changed': { pipelineId: number; projectId: number; jobIds: readonly number[] }
  }
}

/** Changes of one pipeline follow each other. It is taken before any row of the pipeline is changed. */
export function lockPipeline(tx: Tx, pipelineId: number): Promise<void> {
  return acquireLock(tx, `pipeline:${pipelineId}`)
}

/** What an event changes besides the status. */
export function changesOf(event: JobEvent, moment: string): Updateable<CiJobsTable> {
  const status = transitions[event].to
  return {
    status,
    updated_at: moment,
    ...(event === 'enqueue' ? { queued_at: moment, start_at: null } : {}),
    ...(event === 'run' ? { started_at: moment, heartbeat_at: moment } : {}),
    ...(isFinished(status) && event !== 'skip' ? { finished_at: moment } : {}),
  }
}

/** When a delayed job is due. */
const dueAt = ({ start_in_seconds: seconds }: JobState, moment: string) =>
  new Date(Date.parse(moment) + (seconds ?? 0) * 1000).toISOString()

/** What happens to a job; one that fails has a reason. */
type Decision = { job: JobState; event: JobEvent; reason?: string }

const starts: readonly JobEvent[] = ['enqueue', 'wait_for_resource']

/** Jobs that would start and are held up wait for approvals, or fail (contract 24, Protection). */
async function heldUp(platform: Platform, tx: Tx, decisions: ReadonlyMap<number, Decision>) {
  const starting = [...decisions.values()].filter(({ event }) => starts.includes(event)).map(({ job }) => job)
  const holds = await holdsOf(platform, tx, starting)
  const held = [...holds].flatMap(([id, hold]): [number, Decision][] => {
    const decision = decisions.get(id)
    if (!decision) return []
    return [[id, hold === 'approval' ? { ...decision, event: 'hold' } : { ...decision, event: 'fail', reason: hold }]]
  })
  return new Map(held)
}

/** Carries out decisions: one statement for all jobs with the same event. @returns the ids of the jobs */
async function carryOut(tx: Tx, decisions: ReadonlyMap<number, Decision>, moment: string): Promise<number[]> {
  const groups = Map.groupBy(decisions.values(), ({ job, event, reason = '' }) =>
    event === 'delay' ? `${event} ${job.start_in_seconds}` : `${event} ${reason}`,
  )
  for (const group of groups.values()) {
    const [first] = group
    if (!first) continue
    const { event, job, reason } = first
    const ids = group.map((one) => one.job.id)
    const due = event === 'delay' ? { start_at: dueAt(job, moment) } : {}
    const failed = reason === undefined ? {} : { failure_reason: reason }
    await store.setJobs(tx, ids, transitions[event].from, { ...changesOf(event, moment), ...due, ...failed })
  }
  return [...decisions.keys()]
}

/** The columns of a pipeline that follow from its status. */
function pipelineChanges(pipeline: PipelineRow, parts: readonly JobState[], moment: string) {
  const status = pipelineStatus(parts)
  const isRunning = parts.some((part) => part.status === 'running')
  return {
    status,
    started_at: pipeline.started_at ?? (isRunning ? moment : null),
    finished_at: isFinished(status) ? (pipeline.finished_at ?? moment) : null,
  }
}

/** Updates the status of a pipeline from its latest jobs. */
async function updateStatus(platform: Platform, tx: Tx, pipeline: PipelineRow, parts: readonly JobState[]) {
  const changes = pipelineChanges(pipeline, parts, now(platform.clock))
  if (changes.status === pipeline.status && changes.started_at === pipeline.started_at) return
  await store.updatePipeline(tx, pipeline.id, { ...changes, updated_at: now(platform.clock) })
  if (isFinished(changes.status) && pipeline.source !== 'external') await releaseRefLater(platform, tx, pipeline)
  await react(platform, tx, 'pipeline.changed', { pipelineId: pipeline.id, projectId: pipeline.project_id })
}

/**
 * Moves the jobs of a pipeline whose prerequisites have ended, and updates the pipeline (contract 04, "Statuses"). Does
 * nothing when the pipeline was deleted. Runs in the transaction of what changed a job.
 */
export async function processPipeline(platform: Platform, tx: Tx, pipelineId: number): Promise<void> {
  await lockPipeline(tx, pipelineId)
  const pipeline = await store.pipelineById(tx, pipelineId)
  if (!pipeline) return
  const states = await store.latestStates(tx, pipelineId)
  const own = states.filter(({ external }) => !external)
  const created = own.filter(({ status, uses_needs }) => status === 'created' && uses_needs)
  const ready = decide(
    own,
    await store.needsOf(
      tx,
      created.map(({ id }) => id),
    ),
  )
  const held = await heldUp(platform, tx, ready)
  const decisions = new Map<number, Decision>([...ready, ...held])
  const moment = now(platform.clock)
  const jobIds = await carryOut(tx, decisions, moment)
  const moved = states.map((job) => {
    const event = decisions.get(job.id)?.event
    return event ? { ...job, status: transitions[event].to } : job
  })
  await updateStatus(platform, tx, pipeline, moved)
  if (jobIds.length === 0) return
  await assignResourcesLater(
    platform,
    tx,
    pipeline.project_id,
    [...decisions.values()].map(({ job }) => job),
  )
  await react(platform, tx, 'ci_jobs.changed', { pipelineId, projectId: pipeline.project_id, jobIds })
  const changed = [...decisions.values()].map(({ job }) => job)
  await followChanged(platform, tx, pipeline, changed)
  // What waits for jobs that were held up is decided again.
  if (held.size > 0) await processPipeline(platform, tx, pipelineId)
}
