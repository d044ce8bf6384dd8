import { now } from '../../../infra/database/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { beginPipeline } from './begin.ts'
import { failJob, failJobIn, isFrozenNow, startDelayedJob, transitionJobs } from './job-changes.ts'
import * as store from './store/overdue.ts'
import { isActive } from './transitions.ts'

/** How often delayed, stuck and interrupted work is looked for (contract 04, "Background work"). */
const periodSeconds = 60
/** Jobs that are looked at in one pass over each list. */
const batchSize = 500

const minuteMs = 60_000
/** A pending job that no runner takes for so long fails. */
const pendingMs = 24 * 60 * minuteMs
/** A running job of which nothing is heard for so long fails. */
const silenceMs = 60 * minuteMs
/** Time beyond its timeout after which a running job fails. */
const graceMs = 15 * minuteMs

const before = ({ clock }: Platform, ageMs: number) => new Date(clock.now().getTime() - ageMs).toISOString()

/** Starts delayed jobs that are due. */
async function startDelayed(platform: Platform): Promise<void> {
  const { database, clock } = platform
  for (const job of await store.dueDelayed(database.read, now(clock), batchSize)) {
    await database.write((tx) => startDelayedJob(platform, tx, job))
  }
}

/** Fails jobs that no runner takes. */
async function failPending(platform: Platform): Promise<void> {
  const jobs = await store.pendingSince(platform.database.read, before(platform, pendingMs), batchSize)
  for (const job of jobs) await failJob(platform, job, 'stuck_or_timeout_failure', { event: 'refuse' })
}

/** Why a running job has to end; null while it may go on. */
function problemOf(platform: Platform, job: store.RunningJob): string | null {
  const heard = job.heartbeat_at ?? job.started_at
  if (heard !== null && heard < before(platform, silenceMs)) return 'stuck_or_timeout_failure'
  const ageMs = job.started_at === null ? 0 : platform.clock.now().getTime() - Date.parse(job.started_at)
  return ageMs > store.timeoutSeconds(job) * 1000 + graceMs ? 'job_execution_timeout' : null
}

/** Fails running jobs whose runner is silent, or that run too long; those being canceled become canceled. */
async function endStuck(platform: Platform): Promise<void> {
  const { database } = platform
  for await (const jobs of store.runningJobs(database.read, batchSize)) {
    for (const job of jobs.filter(({ status }) => isActive(status))) {
      const problem = problemOf(platform, job)
      if (problem === null) continue
      const frozen = await isFrozenNow(platform, job)
      await database.write(async (tx) => {
        const target = { pipelineId: job.pipeline_id, ids: [job.id], event: 'end_canceling' } as const
        const ended = await transitionJobs(platform, tx, target)
        if (ended.length === 0) await failJobIn(platform, tx, job, problem, { frozen })
      })
    }
  }
}

/** Begins pipelines whose creation was interrupted. */
async function beginInterrupted(platform: Platform): Promise<void> {
  const pipelines = await store.createdBefore(platform.database.read, before(platform, minuteMs), batchSize)
  for (const pipeline of pipelines) await beginPipeline(platform, pipeline)
}

/** How much the clocks of processes may differ. */
const skewMs = 60_000

/** Lets the whole delay of jobs begin now whose start a clock ahead has set. */
async function recallDelayed({ database, clock }: Platform): Promise<void> {
  const nowMs = clock.now().getTime()
  for (const { id, start_at, start_in_seconds } of await store.waitingDelayed(database.read, now(clock))) {
    const latestMs = nowMs + (start_in_seconds ?? 0) * 1000
    if (start_at === null || Date.parse(start_at) <= latestMs + skewMs) continue
    await database.write((tx) => store.startAt(tx, id, new Date(latestMs).toISOString()))
  }
}

/** Starts delayed jobs, ends stuck ones, and begins pipelines that a crash interrupted (contract 04, "Background work"). */
export const watchJob: Job<null> = {
  kind: 'pipelines.watch',
  queue: 'pipelines',
  every: { seconds: periodSeconds },
  when: ({ clock }) => store.anyMayBeOverdue(now(clock)),
  recall: recallDelayed,
  async run(platform, _, { signal }) {
    for (const step of [startDelayed, failPending, endStuck, beginInterrupted]) {
      signal.throwIfAborted()
      await step(platform)
    }
  },
}
