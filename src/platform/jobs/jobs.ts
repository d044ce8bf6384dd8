import type { RawBuilder } from 'kysely'
import type { Tx } from '../../infra/database/index.ts'
import { type EnqueueOptions, type JobContext, type JobDefinition, RunLater } from '../../infra/jobs/index.ts'
import { superseded } from '../instance/superseded.ts'
import type { Platform } from '../platform.ts'
import { RepositoryMoving } from '../repositories/refusals.ts'

/** When a job looks again whether a repository has been moved. */
const movingDelayMs = 5_000

/** How long a job waits on a server in whose place another one was promoted: that one has the same jobs. */
const supersededDelayMs = 600_000

/** A kind of job as a value; a module names its jobs, the start registers them. */
export type Job<Payload> = Omit<JobDefinition<Payload>, 'run' | 'when' | 'recall'> & {
  /** As `when` of a definition. */
  when?(platform: Platform): RawBuilder<boolean>
  /** As `recall` of a definition. */
  recall?(platform: Platform): Promise<void>
  /** Must be idempotent: a job runs at least once. */
  run(platform: Platform, payload: Payload, context: JobContext): Promise<void>
}

/** Jobs of all payloads in one list. `run` is declared as a method, so a `Job<Payload>` is a `Job<never>`. */
export type AnyJob = Job<never>

/** Stores a job in the caller's transaction. @returns its id; null when one with the same unique key waits or runs already */
export function enqueue<Payload>(
  { jobs }: Platform,
  tx: Tx,
  { kind }: Job<Payload>,
  payload: NoInfer<Payload>,
  options?: EnqueueOptions,
): Promise<number | null> {
  return jobs.enqueue(tx, kind, payload, options)
}

/** Stores a job for each payload in the caller's transaction; at most some hundreds at once. */
export async function enqueueAll<Payload>(
  { jobs }: Platform,
  tx: Tx,
  { kind }: Job<Payload>,
  payloads: readonly NoInfer<Payload>[],
): Promise<void> {
  await jobs.enqueueAll(tx, kind, payloads)
}

/** Registers jobs; before the queue is started. */
export function registerJobs(platform: Platform, definitions: readonly AnyJob[]): void {
  for (const definition of definitions) {
    const run: JobDefinition<never>['run'] = async (payload, context) => {
      if (superseded(platform)) throw new RunLater(supersededDelayMs)
      await definition.run(platform, payload, context).catch((cause) => {
        throw cause instanceof RepositoryMoving ? new RunLater(movingDelayMs, { cause }) : cause
      })
    }
    const { when, recall, ...rest } = definition
    platform.jobs.define({
      ...rest,
      run,
      ...(when && { when: () => when(platform) }),
      ...(recall && { recall: () => recall(platform) }),
    })
  }
}
