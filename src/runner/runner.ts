import { setTimeout as sleep } from 'node:timers/promises'
import { type JobResult, runJob, type Workshop } from './job/job.ts'
import { type Credentials, Refused, ServerUnreachable } from './protocol/client.ts'
import type { JobPayload } from './protocol/payload.ts'

export type RunnerOptions = Workshop & {
  credentials: Credentials
  /** Jobs at the same time. */
  concurrency: number
  /** Whether the runner ends when there is no job. */
  once: boolean
  /** Says what happens, in one line. */
  say: (line: string) => void
}

/** A runner at work. */
export type Runner = {
  /** Settles when it takes no more jobs and the last one has ended. @throws ServerUnreachable, Refused */
  ended: Promise<void>
  /** Takes no more jobs. */
  finish(): void
  /** Ends the running jobs as failed. */
  abort(): void
}

const pauseMs = 1000
const longestPauseMs = 30_000

const nameOf = ({ id, job_info: { name, project_full_path } }: JobPayload) =>
  `job ${id} (${project_full_path}, ${name})`

const words: Record<JobResult, string> = {
  success: 'succeeded',
  failed: 'failed',
  canceled: 'was canceled',
  forgotten: 'was ended by the server',
}

/** Takes jobs and runs them, until it is stopped. */
class Loop {
  readonly #options: RunnerOptions
  readonly #finishing = new AbortController()
  readonly #aborting = new AbortController()
  /** The running jobs by their places. */
  readonly #running = new Map<number, Promise<void>>()
  #lastUpdate: string | undefined
  #failures = 0

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  finish(): void {
    this.#finishing.abort()
  }

  abort(): void {
    this.finish()
    this.#aborting.abort()
  }

  async run(): Promise<void> {
    try {
      while (!this.#finishing.signal.aborted) if (!(await this.#step())) break
    } finally {
      await Promise.all(this.#running.values())
    }
  }

  /** Takes a job, or waits. @returns whether to go on */
  async #step(): Promise<boolean> {
    if (this.#running.size >= this.#options.concurrency) {
      await this.#pause(null)
      return true
    }
    // A job that ends while the server answers may be followed by others.
    const wasIdle = this.#running.size === 0
    const job = await this.#request()
    if (job) this.#start(job)
    else if (job === null && this.#options.once && wasIdle) return false
    else await this.#pause(Math.min(longestPauseMs, pauseMs * 2 ** this.#failures))
    return true
  }

  /** Waits for a time, the end of a job, or until the runner takes no more jobs. @param ms null: without a limit */
  async #pause(ms: number | null): Promise<void> {
    const over = new AbortController()
    const signal = AbortSignal.any([over.signal, this.#finishing.signal])
    const waiting = sleep(ms ?? 2 ** 31 - 1, undefined, { signal }).catch(() => {})
    await Promise.race([waiting, ...this.#running.values()])
    over.abort()
  }

  /** @returns a job; null when there is none, undefined when the server cannot be asked */
  async #request(): Promise<JobPayload | null | undefined> {
    const { client, credentials, info, once, say } = this.#options
    try {
      const { job, lastUpdate } = await client.requestJob(credentials, { info, lastUpdate: this.#lastUpdate })
      if (this.#failures > 0) say('the server answers again')
      this.#failures = 0
      this.#lastUpdate = lastUpdate
      return job
    } catch (error) {
      const isRevoked = error instanceof Refused && error.status === 403
      const isOutage = error instanceof ServerUnreachable || error instanceof Refused
      if (isRevoked || !isOutage || once) throw error
      if (this.#failures === 0) say(`${error.message}; trying again`)
      this.#failures += 1
      return undefined
    }
  }

  #start(job: JobPayload): void {
    const { concurrency, say } = this.#options
    const slot =
      Array.from({ length: concurrency }, (_, place) => place).find((place) => !this.#running.has(place)) ?? 0
    say(`${nameOf(job)} started`)
    const running = runJob(this.#options, job, { slot, stopping: this.#aborting.signal })
      .then((result) => say(`${nameOf(job)} ${words[result]}`))
      .catch((error: Error) => say(`${nameOf(job)} is lost: ${error.message}`))
      .finally(() => this.#running.delete(slot))
    this.#running.set(slot, running)
  }
}

/** Starts to take jobs of a server (contract 04, "Runner protocol"). */
export function startRunner(options: RunnerOptions): Runner {
  const loop = new Loop(options)
  return { ended: loop.run(), finish: () => loop.finish(), abort: () => loop.abort() }
}

/** What the jobs of this runner can have, by the names of the protocol. */
export const features = {
  variables: true,
  artifacts: true,
  cache: true,
  upload_multiple_artifacts: true,
  upload_raw_artifacts: true,
  artifacts_exclude: true,
  return_exit_code: true,
  fallback_cache_keys: true,
  cancel_gracefully: true,
  refspecs: true,
  masking: true,
  raw_variables: true,
  trace_checksum: true,
  trace_size: true,
  cancelable: true,
}
