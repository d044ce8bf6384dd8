import type { Clock, Timer } from '../../clock/index.ts'
import { type Database, DatabaseUnavailable, type Tx } from '../../database/index.ts'
import { countEnded } from '../metrics.ts'
import { deleteFinished, type Holder, renewLease, returnJob } from '../store.ts'
import type { JobRow } from '../tables.ts'
import { type EndedJob, type JobDefinition, type JobsLog, LeaseLost, RunLater } from '../types.ts'

const MAX_ERROR_CHARACTERS = 4000

/** Delays before retries. */
const FIRST_DELAY_MS = 10_000
const DELAY_FACTOR = 4
const LONGEST_DELAY_MS = 3_600_000

/** Time between two attempts to record the end of a job. */
const RECORD_RETRY_MS = 1000

/** Options of `runJob`. */
export interface RunnerOptions {
  database: Database
  clock: Clock
  log: JobsLog
  owner: string
  leaseMs: number
  random: () => number
  /** Called when the end of a run is recorded. */
  onEnded?: ((job: EndedJob) => void) | undefined
  /** Called when a job that has ended waits for another run. @param atMs in milliseconds since 1970 */
  onReturned(atMs: number): void
}

/** A job that runs in this process. */
export interface RunningJob {
  /** Resolves when the job has ended and its end is recorded; never rejects. */
  readonly ended: Promise<void>
  /** Aborts the job's signal. A job that ends because of that becomes pending again. */
  abort(): void
}

type Outcome = { failed: false } | { failed: true; error: unknown }

/** Runs a claimed job, renews its lease while it runs, and records how it ended. */
export function runJob(row: JobRow, definition: JobDefinition<unknown>, options: RunnerOptions): RunningJob {
  const holder: Holder = { id: row.id, owner: options.owner, attempt: row.attempts }
  const controller = new AbortController()
  const startedMs = options.clock.now().getTime()
  const lease = renewRegularly(holder, Date.parse(row.lease_until ?? row.updated_at), controller, options)
  const run = async (): Promise<void> => {
    const { signal } = controller
    await definition.run(JSON.parse(row.payload), { jobId: row.id, attempt: row.attempts, signal })
  }
  const ended = run()
    .then(
      () => ({ failed: false as const }),
      (error: unknown) => ({ failed: true as const, error }),
    )
    .then(async (outcome) => {
      lease.end()
      const run = { row, holder, startedMs, abortedBy: controller.signal.reason }
      await untilAvailable(() => recordEnd(run, outcome, options), options.clock, lease.untilMs)
    })
    .catch((error: unknown) => {
      options.log.error({ err: error, job: row.id, kind: row.kind }, 'the end of a job could not be recorded')
    })
  return { ended, abort: () => controller.abort(new Stopping()) }
}

class Stopping extends Error {}

/** Repeats a step while the database is unavailable, at most until the lease expires: then another process runs the job. */
async function untilAvailable(step: () => Promise<void>, clock: Clock, leaseUntilMs: number): Promise<void> {
  for (;;) {
    try {
      await step()
      return
    } catch (error) {
      const isExpiring = clock.now().getTime() + RECORD_RETRY_MS >= leaseUntilMs
      if (isExpiring || !(error instanceof DatabaseUnavailable)) throw error
      await new Promise<void>((resolve) => clock.setTimer(resolve, RECORD_RETRY_MS))
    }
  }
}

type Run = { row: JobRow; holder: Holder; startedMs: number; abortedBy: unknown }

/** Counts a run whose end is recorded. @returns true */
async function counted(tx: Tx, id: number, outcome: 'processed' | 'failed'): Promise<true> {
  await countEnded(tx, id, outcome)
  return true
}

async function recordEnd(
  { row, holder, startedMs, abortedBy }: Run,
  outcome: Outcome,
  { database, clock, log, random, onReturned, onEnded }: RunnerOptions,
): Promise<void> {
  const now = clock.now()
  const { id, kind, queue, attempts: attempt } = row
  const fields = { job: id, kind, attempt }
  const isHeld = await database.write(async (tx) => {
    if (!outcome.failed) return (await deleteFinished(tx, holder)) && counted(tx, id, 'processed')
    if (abortedBy instanceof Stopping) return returnJob(tx, holder, uncounted(row, now))
    const { error } = outcome
    const returned =
      error instanceof RunLater ? uncounted(row, now, error.delayMs) : afterFailure(row, now, error, random)
    tx.afterCommit(() => onReturned(Date.parse(String(returned.run_at))))
    if (!(await returnJob(tx, holder, returned))) return false
    return error instanceof RunLater || counted(tx, id, 'failed')
  })
  const ended = { id, kind, queue, attempt, startedMs, endedMs: now.getTime() }
  if (!isHeld) log.warn(fields, 'a job ended after its lease was lost')
  else if (!outcome.failed) onEnded?.({ ...ended, outcome: 'done' })
  else if (abortedBy instanceof Stopping || outcome.error instanceof RunLater)
    onEnded?.({ ...ended, outcome: 'put off' })
  else {
    const { error } = outcome
    onEnded?.({ ...ended, outcome: 'failed', error })
    if (attempt < row.max_attempts) log.warn({ ...fields, err: error }, 'a job failed and will be retried')
    else log.error({ ...fields, err: error }, 'a job failed and will not be retried')
  }
}

type Returned = Parameters<typeof returnJob>[2]

function uncounted(row: JobRow, now: Date, delayMs = 0): Returned {
  const run_at = new Date(now.getTime() + delayMs).toISOString()
  const updated_at = now.toISOString()
  return { state: 'pending', run_at, attempts: row.attempts - 1, last_error: row.last_error, updated_at }
}

function afterFailure(row: JobRow, now: Date, error: unknown, random: () => number): Returned {
  const runAt = new Date(now.getTime() + retryDelayMs(row.attempts, random))
  return {
    state: row.attempts < row.max_attempts ? 'pending' : 'failed',
    run_at: runAt.toISOString(),
    attempts: row.attempts,
    last_error: textOf(error),
    updated_at: now.toISOString(),
  }
}

function textOf(error: unknown): string {
  // PostgreSQL cannot store NUL.
  return String(error).replaceAll('\0', '').slice(0, MAX_ERROR_CHARACTERS)
}

/** Renews a lease three times before it would expire, and aborts the job when it is lost. */
function renewRegularly(
  holder: Holder,
  firstUntilMs: number,
  controller: AbortController,
  { database, clock, log, leaseMs }: RunnerOptions,
): { end(): void; readonly untilMs: number } {
  let untilMs = firstUntilMs
  let timer: Timer
  let isEnded = false
  const tick = async (): Promise<void> => {
    const nextMs = clock.now().getTime() + leaseMs
    try {
      const isHeld = await database.write((tx) => renewLease(tx, holder, new Date(nextMs).toISOString()))
      if (!isHeld) {
        controller.abort(new LeaseLost())
        throw new LeaseLost()
      }
      untilMs = nextMs
    } catch (error) {
      // The database may be unavailable. No other process claims the job until the lease expires.
      if (!isEnded) log.warn({ err: error, job: holder.id }, 'the lease of a job could not be renewed')
      if (clock.now().getTime() >= untilMs) controller.abort(new LeaseLost())
    }
    if (!isEnded && !controller.signal.aborted) arm()
  }
  const arm = (): void => {
    timer = clock.setTimer(() => void tick(), leaseMs / 3)
  }
  arm()
  return {
    get untilMs() {
      return untilMs
    },
    end() {
      isEnded = true
      timer.cancel()
    },
  }
}

/**
 * Delay before the next run of a failed job: 10 s, 40 s, 160 s … at most an hour, shortened by a random part of up to one
 * half, so that jobs that failed at the same time are not retried at the same time.
 * @param attempt number of the failed run, from 1
 * @param random returns a number from 0 up to, not including, 1
 */
export function retryDelayMs(attempt: number, random: () => number): number {
  const longestMs = Math.min(FIRST_DELAY_MS * DELAY_FACTOR ** (attempt - 1), LONGEST_DELAY_MS)
  return Math.round(longestMs * (1 - random() / 2))
}
