import { claimJobs, type Lane, runnableIds } from '../store.ts'
import type { JobRow } from '../tables.ts'
import type { JobDefinition } from '../types.ts'
import { coalesce } from './coalesce.ts'
import { type RunnerOptions, type RunningJob, runJob } from './runner.ts'

/** Options of `createLaneWorker`. */
export interface LaneWorkerOptions extends RunnerOptions {
  /** Number of jobs of a queue that run at the same time in this process, unless the queue has a number of its own. */
  concurrency: number
  definitions: ReadonlyMap<string, JobDefinition<unknown>>
  /** False when no more jobs may be claimed. */
  isClaiming(): boolean
}

/** The slots of one queue in this process. */
export interface LaneWorker {
  readonly queue: string
  readonly running: ReadonlySet<RunningJob>
  /** Number of jobs started so far. */
  readonly startedCount: number
  /** Fills free slots with jobs that are due. Resolves when they have started, not when they have ended. */
  fill(): Promise<void>
}

/** Creates the slots of one queue. */
export function createLaneWorker(lane: Lane, options: LaneWorkerOptions): LaneWorker {
  const { database, clock, log, owner, leaseMs, definitions } = options
  const concurrency = lane.slots ?? options.concurrency
  const running = new Set<RunningJob>()
  let startedCount = 0
  /** Whether jobs may wait for a slot. */
  let isBacklogged = false

  async function claim(limit: number): Promise<JobRow[]> {
    // A read takes microseconds, a claim a flushed commit: an idle process does not write.
    const ids = await runnableIds(database.read, lane, clock.now().toISOString(), limit)
    if (ids.length === 0) return []
    return database.write((tx) => {
      const now = clock.now()
      const leaseUntil = new Date(now.getTime() + leaseMs).toISOString()
      return claimJobs(tx, lane, { owner, now: now.toISOString(), leaseUntil, limit })
    })
  }

  function start(row: JobRow): void {
    const definition = definitions.get(row.kind)
    if (!definition) throw new Error(`no handler for jobs of kind ${row.kind}`)
    const job = runJob(row, definition, options)
    startedCount++
    running.add(job)
    void job.ended.then(() => {
      running.delete(job)
      // Else nothing can run that could not before.
      if (isBacklogged || row.order_key !== null)
        fill().catch((error: unknown) => log.error({ err: error, queue: lane.queue }, 'jobs could not be claimed'))
    })
  }

  const fill = coalesce(async () => {
    while (options.isClaiming()) {
      const free = concurrency - running.size
      const claimed = free > 0 ? await claim(free) : []
      for (const row of claimed) start(row)
      isBacklogged = claimed.length >= free
      // Fewer than asked for: nothing else can run now.
      if (!isBacklogged || claimed.length === 0) return
    }
  })

  return {
    queue: lane.queue,
    running,
    get startedCount() {
      return startedCount
    },
    fill,
  }
}
