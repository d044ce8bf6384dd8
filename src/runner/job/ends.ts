import type { Clock } from '../../infra/clock/index.ts'
import { JobFailure } from './context.ts'

/** The signals by which a job ends. */
export class Ends {
  /** Ends the script: it was canceled, or took too long. */
  readonly script = new AbortController()
  /** Ends everything. */
  readonly all = new AbortController()
  isForgotten = false
  isCanceled = false

  cancel(): void {
    this.isCanceled = true
    this.script.abort(new JobFailure('script_failure', 'the job was canceled'))
  }

  forget(): void {
    this.isForgotten = true
    this.stop(new JobFailure('script_failure', 'the server has ended the job'))
  }

  stop(reason: JobFailure): void {
    this.script.abort(reason)
    this.all.abort(reason)
  }
}

/** Why a job failed by an error. */
export const failureOf = (error: unknown): JobFailure =>
  error instanceof JobFailure ? error : new JobFailure('runner_system_failure', (error as Error).message)

const hourMs = 3_600_000

const durationText = (ms: number) => (ms >= hourMs ? `${Math.round(ms / 60_000)} minutes` : `${ms / 1000} seconds`)

/** Runs work that a time limit ends. @param onLate gets the reason */
export async function within<Result>(
  clock: Clock,
  ms: number | null,
  onLate: (reason: JobFailure) => void,
  work: () => Promise<Result>,
) {
  if (ms === null) return work()
  const late = new JobFailure('job_execution_timeout', `execution took longer than ${durationText(ms)}`)
  const timer = clock.setTimer(() => onLate(late), ms)
  return work().finally(() => timer.cancel())
}
