import { coalesce } from './coalesce.ts'
import { type RunnerOptions, type RunningJob, runJob } from './runner.ts'
import { claimJobs, type Lane, runnableIds } from './store.ts'
import type { JobRow } from './tables.ts'
import type { JobDefinition } from './types.ts'

export interface LaneWorkerOptions extends RunnerOptions {
  /** Jobs of this queue that run at once in this process. */
  concurrency: number
  definitions: ReadonlyMap<string, JobDefinition<unknown>>
  /** False when no more jobs are to be taken. */
  isTaking(): boolean
}

/** The slots of one queue in this process. */
export interface LaneWorker {
  readonly queue: string
  readonly running: ReadonlySet<RunningJob>
  /** Jobs begun so far. */
  readonly begunCount: number
  /** Fills free slots with jobs that are due. Resolves when they have begun, not when they have ended. */
  fill(): Promise<void>
}

/** Takes jobs of one queue, as many at once as there are slots. */
export function createLaneWorker(lane: Lane, options: LaneWorkerOptions): LaneWorker {
  const { database, clock, log, owner, leaseMs, concurrency, definitions } = options
  const running = new Set<RunningJob>()
  let begunCount = 0

  async function claim(limit: number): Promise<JobRow[]> {
    // Looking costs microseconds, taking costs a flushed commit: an idle process writes nothing.
    const ids = await runnableIds(database.read, lane, clock.now().toISOString(), limit)
    if (ids.length === 0) return []
    return database.write((tx) => {
      const now = clock.now()
      const leaseUntil = new Date(now.getTime() + leaseMs).toISOString()
      return claimJobs(tx, lane, { owner, now: now.toISOString(), leaseUntil, limit })
    })
  }

  function begin(row: JobRow): void {
    const definition = definitions.get(row.kind)
    if (!definition) throw new Error(`no handler for jobs of kind ${row.kind}`)
    const job = runJob(row, definition, options)
    begunCount++
    running.add(job)
    void job.ended.then(() => {
      running.delete(job)
      fill().catch((error: unknown) => log.error({ err: error, queue: lane.queue }, 'no jobs could be taken'))
    })
  }

  const fill = coalesce(async () => {
    while (options.isTaking()) {
      const free = concurrency - running.size
      const claimed = free > 0 ? await claim(free) : []
      for (const row of claimed) begin(row)
      if (claimed.length === 0) return
    }
  })

  return {
    queue: lane.queue,
    running,
    get begunCount() {
      return begunCount
    },
    fill,
  }
}
