import type { Insertable } from 'kysely'
import type { Lane } from './store.ts'
import type { JobsTable } from './tables.ts'
import type { EnqueueOptions, JobDefinition, Jobs, Period } from './types.ts'

const DEFAULT_QUEUE = 'default'
const DEFAULT_MAX_ATTEMPTS = 4

/** The defined kinds of jobs and the recurring jobs. Closed when the queue is started. */
export interface Registry extends Pick<Jobs, 'define'> {
  readonly definitions: ReadonlyMap<string, JobDefinition<unknown>>
  /** The periods of the recurring jobs, by kind. */
  readonly periods: ReadonlyMap<string, Period>
  /** The queues with their kinds of jobs. */
  lanes(): Lane[]
  /**
   * The row of a new job.
   * @throws Error when the kind is not defined
   */
  newJob(kind: string, payload: unknown, options: EnqueueOptions, now: Date): Insertable<JobsTable>
  /** Rejects further definitions. */
  close(): void
}

/** Creates an empty registry. */
export function createRegistry(): Registry {
  const definitions = new Map<string, JobDefinition<unknown>>()
  const periods = new Map<string, Period>()
  let isClosed = false

  function definitionOf(kind: string): JobDefinition<unknown> {
    const definition = definitions.get(kind)
    if (!definition) throw new Error(`jobs of kind ${kind} are not defined`)
    return definition
  }

  return {
    definitions,
    periods,
    define(definition) {
      const { kind, every } = definition
      if (isClosed) throw new Error(`${kind} must be defined before the jobs are started`)
      if (definitions.has(kind)) throw new Error(`${kind} is already defined`)
      if (every && !(Number.isSafeInteger(every.seconds) && every.seconds >= 1)) {
        throw new RangeError('the period must be a whole number of seconds, at least 1')
      }
      if (every) periods.set(kind, every)
      // The payload passes through the database, so its type cannot be checked here.
      definitions.set(kind, definition as JobDefinition<unknown>)
    },
    lanes() {
      const kinds = Map.groupBy(definitions.values(), ({ queue }) => queue ?? DEFAULT_QUEUE)
      return [...kinds].map(([queue, each]) => {
        const slots = each.flatMap((definition) => definition.slots ?? [])
        const most = slots.length > 0 ? Math.max(...slots) : undefined
        return { queue, kinds: each.map(({ kind }) => kind), slots: most }
      })
    },
    newJob(kind, payload, { uniqueKey, orderKey, runAt }, now) {
      const { queue, maxAttempts } = definitionOf(kind)
      return {
        queue: queue ?? DEFAULT_QUEUE,
        kind,
        payload: JSON.stringify(payload ?? null),
        unique_key: uniqueKey ?? null,
        order_key: orderKey ?? null,
        run_at: (runAt ?? now).toISOString(),
        max_attempts: maxAttempts ?? DEFAULT_MAX_ATTEMPTS,
        lease_owner: null,
        lease_until: null,
        last_error: null,
        created_at: now.toISOString(),
        updated_at: now.toISOString(),
      }
    },
    close() {
      isClosed = true
    },
  }
}
