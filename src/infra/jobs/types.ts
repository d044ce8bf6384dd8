import type { RawBuilder } from 'kysely'
import type { Tables, Tx } from '../database/index.ts'
import type { JobRow } from './tables.ts'

/** A run of a job, as it ended. */
export type EndedJob = {
  id: number
  kind: string
  queue: string
  attempt: number
  startedMs: number
  endedMs: number
  /** `put off`: by itself, or since the process stops. */
  outcome: 'done' | 'failed' | 'put off'
  /** Undefined unless it failed. */
  error?: unknown
}

/** The second argument of a job's `run`. */
export interface JobContext {
  jobId: number
  /** 1 for the first run. */
  attempt: number
  /** Aborted when the lease is lost or the process stops. After that, another process may be running the same job. */
  signal: AbortSignal
}

/** The lease of a running job has expired, and another process has taken the job. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'
  constructor() {
    super('the lease of this job was lost')
  }
}

/** A job fails with it to run again later. The attempt does not count. */
export class RunLater extends Error {
  override name = 'RunLater'
  readonly delayMs: number
  constructor(delayMs: number, options?: ErrorOptions) {
    super(`this job runs again in ${delayMs} ms`, options)
    this.delayMs = delayMs
  }
}

/** The due times of a recurring job. */
export interface Period {
  seconds: number
  /** Offset from multiples of the period since the Unix epoch: 3,600 with a period of a day is 01:00 UTC. */
  offsetSeconds?: number
}

/** A column with times by which a job finds its work. */
export interface StoredTime {
  table: keyof Tables
  column: string
  /** How far ahead of the present a right clock sets it, at the most. */
  longestMs: number
  /** How far ahead of the present a time is put that is further ahead. Default: 0, it is due. */
  leaveMs?: number
}

/** A kind of job and its handler. */
export interface JobDefinition<Payload> {
  /** Identifies the handler of stored jobs, so it must not change; e.g. `repositories.collect_garbage`. */
  kind: string
  /** Each queue has its own slots, so slow jobs in one queue do not delay those in others. Default `default`. */
  queue?: string
  /** Number of jobs of the queue that run at the same time in a process, where it is not that of all queues; the most counts. */
  slots?: number
  /** Number of runs, the first included, after which a job is `failed`. Default 4 (contract 00 "Background work"). */
  maxAttempts?: number
  /**
   * Enqueues a job of this kind, with a null payload, once per period, in one of all processes. The first is due one period
   * after the kind was first registered. Periods that passed while no process ran are made up for by one job. No job is
   * enqueued while the previous one is pending or running.
   */
  every?: Period
  /**
   * Of a recurring job, whether it has something to do when it is due: else none is enqueued. Cheap, and never false before the
   * job would do something.
   */
  when?(): RawBuilder<boolean>
  /** Times that a right clock never sets further ahead. After the clock was put back, those that are further ahead are put back. */
  times?: readonly StoredTime[]
  /** As `times`, for times without such a bound: puts back what a clock ahead has stored. Runs at each start, and may run again. */
  recall?(): Promise<void>
  /** Must be idempotent: a job runs again when its process dies before the end of the job is recorded. */
  run(payload: Payload, context: JobContext): Promise<void>
}

/** Something that is looked at together with the jobs, in the same query. */
export interface Watch {
  /** Cheap: it is evaluated every few seconds. */
  condition(): RawBuilder<boolean>
  /** Called when the condition is true; soon again when it stays so. */
  act(): Promise<void>
}

/** Options of `enqueue`. */
export interface EnqueueOptions {
  /** No second job of this kind with the same key is stored while one is pending or running. */
  uniqueKey?: string | undefined
  /** Jobs with the same key, of any kind, run one after another in the order of their ids. */
  orderKey?: string | undefined
  /** The earliest time to run. Default: now. */
  runAt?: Date | undefined
}

/** The durable job queue with its recurring jobs (design §7). */
export interface Jobs {
  /**
   * Defines a kind of job.
   * @throws Error when the kind is already defined, or the queue has been started; RangeError for an invalid period
   */
  define<Payload>(definition: JobDefinition<Payload>): void
  /**
   * Stores a job in the caller's transaction. It runs after the commit, at least once, in any process.
   * @param payload a small JSON value; large data is referred to by id
   * @returns the job's id, or null when one with the same unique key is pending or running
   * @throws Error when the kind is not defined
   */
  enqueue(tx: Tx, kind: string, payload: unknown, options?: EnqueueOptions): Promise<number | null>
  /** Stores a job for each payload, in one statement; at most some hundreds. They start at once, and have no unique key. */
  enqueueAll(tx: Tx, kind: string, payloads: readonly unknown[]): Promise<void>
  /**
   * Lets a failed job run again, with all its attempts.
   * @returns its row; null when it has not failed, or one with the same unique key is pending or running
   */
  retry(tx: Tx, id: number): Promise<JobRow | null>
  /** The names of the queues. */
  queues(): string[]
  /** This process: its name in leases, since when it runs, and how many jobs at once, in all queues. */
  process(): { owner: string; startedAt: Date; concurrency: number }
  /** Looks at something regularly while jobs run. Must be called before `start`. */
  watch(watch: Watch): void
  /** Starts running jobs. */
  start(): Promise<void>
  /**
   * Stops claiming jobs and waits for the running ones. After `timeoutMs` they are aborted. A job that ends because of that
   * becomes pending again; one that does not end is claimed by another process when its lease has expired.
   */
  stop(options: { timeoutMs: number }): Promise<void>
  /** Runs jobs until none is due, and waits for those that run in this process. For tests; the queue need not be started. */
  drain(): Promise<void>
  /**
   * Waits until no job is due or runs, those included that jobs enqueue meanwhile. Recurring jobs that have become due are not
   * enqueued for it. The queue must be started.
   */
  settle(): Promise<void>
  /** Stores the due times of the recurring jobs, which the start has done already. For a database that was emptied since. */
  schedule(): Promise<void>
}

/** The methods of a pino logger that the queue uses. */
export interface JobsLog {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
