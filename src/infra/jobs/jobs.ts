import type { Clock } from '../clock/index.ts'
import type { Database } from '../database/index.ts'
import { retryFailed } from './inspection.ts'
import { createRegistry } from './registry.ts'
import { insertJob, insertJobs } from './store.ts'
import type { EndedJob, Jobs, JobsLog } from './types.ts'
import { createWorker } from './worker/worker.ts'

/** Options of `createJobs`. */
export interface JobsOptions {
  database: Database
  clock: Clock
  log: JobsLog
  /** Time until the jobs of a process that died are claimed by another. */
  leaseSeconds: number
  /** Number of jobs that run at the same time in this process, per queue. */
  concurrency: number
  /** Name of this process in the leases, for administrators; e.g. host name and process id. */
  owner: string
  /** Whether no other process uses the database: leases found at the start are then those of a process that has died. */
  alone?: boolean
  /** Called when a run of a job has ended. */
  onEnded?: ((job: EndedJob) => void) | undefined
  /** Jitter of the retries; returns a number from 0 up to, not including, 1. */
  random?: () => number
}

/** Creates the job queue on the tables `jobs` and `recurring_jobs` (design §7). It is not started yet. */
export function createJobs(options: JobsOptions): Jobs {
  const {
    database,
    clock,
    log,
    owner,
    concurrency,
    leaseSeconds,
    alone = false,
    random = Math.random,
    onEnded,
  } = options
  const registry = createRegistry()
  const leaseMs = leaseSeconds * 1000
  const startedAt = clock.now()
  const worker = createWorker(registry, { database, clock, log, owner, concurrency, alone, random, leaseMs, onEnded })
  return {
    define: registry.define,
    watch: worker.watch,
    start: worker.start,
    stop: worker.stop,
    drain: worker.drain,
    settle: worker.settle,
    schedule: worker.schedule,
    async enqueue(tx, kind, payload, enqueueOptions = {}) {
      const now = clock.now()
      const job = registry.newJob(kind, payload, enqueueOptions, now)
      const id = await insertJob(tx, job)
      if (id !== null && job.run_at <= now.toISOString()) tx.afterCommit(() => worker.wake(job.queue))
      else if (id !== null) tx.afterCommit(() => worker.pollAt(Date.parse(String(job.run_at))))
      return id
    },
    async enqueueAll(tx, kind, payloads) {
      const now = clock.now()
      const jobs = payloads.map((payload) => registry.newJob(kind, payload, {}, now))
      const [first] = jobs
      if (!first) return
      await insertJobs(tx, jobs)
      tx.afterCommit(() => worker.wake(first.queue))
    },
    async retry(tx, id) {
      const row = await retryFailed(tx, id, clock.now().toISOString())
      if (row) tx.afterCommit(() => worker.wake(row.queue))
      return row
    },
    process() {
      const slots = registry.lanes().map((lane) => lane.slots ?? concurrency)
      return { owner, startedAt, concurrency: slots.reduce((sum, one) => sum + one, 0) }
    },
    queues: () => registry.lanes().map(({ queue }) => queue),
  }
}
