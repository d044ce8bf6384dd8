import type { Tx } from '../database/index.ts'

/** Waiting for its time, being run by somebody, or given up. A finished job has no row. */
export type JobState = 'pending' | 'running' | 'failed'

/** A job as administrators see it. Times are ISO 8601 texts. */
export interface Job {
  id: number
  queue: string
  kind: string
  payload: unknown
  uniqueKey: string | null
  orderKey: string | null
  state: JobState
  runAt: string
  attempts: number
  maxAttempts: number
  leaseOwner: string | null
  leaseUntil: string | null
  lastError: string | null
  createdAt: string
  updatedAt: string
}

/** What a running job is told and may do. */
export interface JobContext {
  jobId: number
  /** 1 for the first run. */
  attempt: number
  /** Aborted when the lease is lost or the process stops: whatever the job does after that, another may be doing as well. */
  signal: AbortSignal
  /**
   * Renews the lease now. It is renewed by itself while the event loop turns; a job that holds it up for long asks here.
   * @throws LeaseLost when another process has taken the job
   */
  renew(): Promise<void>
}

/** The lease of a running job ran out and somebody else has the job. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of this job was lost')
    this.name = 'LeaseLost'
  }
}

/** What is to be done for a kind of job. */
export interface JobDefinition<Payload> {
  /** Stored with each job, so it is never renamed; e.g. `repositories.collect_garbage`. */
  kind: string
  /** Every queue has slots of its own, so slow work in a queue of its own holds up nothing else. Default `default`. */
  queue?: string
  /** Runs before it is given up, the first included. Default 4: three retries (contract 00 "Background work"). */
  maxAttempts?: number
  /** Must be idempotent: a job runs at least once, and again when the process died before its end was noted. */
  run(payload: Payload, context: JobContext): Promise<void>
}

export interface EnqueueOptions {
  /** While a job of this kind with the same key waits or runs, another one is not stored. */
  uniqueKey?: string | undefined
  /** Jobs with the same key, of whatever kind, run one after the other in the order of their ids. */
  orderKey?: string | undefined
  /** Not before this time. Default: at once. */
  runAt?: Date | undefined
}

export interface RecurringOptions {
  /** Fires when the seconds since the epoch, divided by the period, leave this rest: 3,600 of a day is 01:00 UTC. */
  offsetSeconds?: number
}

export interface JobFilter {
  state?: JobState | undefined
  queue?: string | undefined
  kind?: string | undefined
  /** Only jobs with a smaller id: the last one of the page before. */
  beforeId?: number | undefined
  /** Default 100. */
  limit?: number | undefined
}

/** The durable queue and its clockwork (design §7). */
export interface Jobs {
  /** @throws Error when the kind is known already, or the queue was started */
  define<Payload>(definition: JobDefinition<Payload>): void
  /**
   * Stores a job in the caller's transaction; it runs after the commit, at least once, in any process.
   * @param payload anything that JSON can hold, small: name what is large by its id
   * @returns the job's id, null when one with the same unique key waits or runs already
   * @throws Error when the kind is not defined
   */
  enqueue(tx: Tx, kind: string, payload: unknown, options?: EnqueueOptions): Promise<number | null>
  /**
   * Enqueues a job of this kind (with the payload null) once per period, however many processes run; first one period
   * after it was first seen. Periods missed while nothing ran are made up for once; while the last run is not over
   * another one is not begun.
   * @throws Error when the name is taken, the kind is not defined, or the queue was started
   */
  every(name: string, seconds: number, kind: string, options?: RecurringOptions): void
  /** Begins to take jobs. */
  start(): Promise<void>
  /**
   * Takes no more jobs and waits for the running ones. Those that are not done after `timeoutMs` are aborted; one that
   * ends because of that is put back, one that does not is taken by another process when its lease has run out.
   */
  stop(options: { timeoutMs: number }): Promise<void>
  /** Runs jobs until nothing that is due is left, and waits for the ones running here. For tests, started or not. */
  drain(): Promise<void>
  /** Newest first. */
  list(filter?: JobFilter): Promise<Job[]>
  /** Gives a failed job a new start. False when there is none with this id, or its like waits already. */
  retry(id: number): Promise<boolean>
}

/** The part of a logger that is needed here; a pino logger fits. */
export interface JobsLog {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
