import type { Insertable } from 'kysely'
import type { Recurring } from './recurring.ts'
import type { Lane } from './store.ts'
import type { JobsTable } from './tables.ts'
import type { EnqueueOptions, JobDefinition, Jobs } from './types.ts'

const DEFAULT_QUEUE = 'default'
const DEFAULT_MAX_ATTEMPTS = 4

/** The defined kinds of jobs and the recurring jobs. Closed when the queue is started. */
export interface Registry extends Pick<Jobs, 'define' | 'every'> {
  readonly definitions: ReadonlyMap<string, JobDefinition<unknown>>
  readonly recurring: ReadonlyMap<string, Recurring>
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
  const recurring = new Map<string, Recurring>()
  let isClosed = false

  function assertNew(known: ReadonlyMap<string, unknown>, name: string): void {
    if (isClosed) throw new Error(`${name} must be defined before the jobs are started`)
    if (known.has(name)) throw new Error(`${name} is already defined`)
  }

  function definitionOf(kind: string): JobDefinition<unknown> {
    const definition = definitions.get(kind)
    if (!definition) throw new Error(`jobs of kind ${kind} are not defined`)
    return definition
  }

  return {
    definitions,
    recurring,
    define(definition) {
      assertNew(definitions, definition.kind)
      // The payload passes through the database, so its type cannot be checked here.
      definitions.set(definition.kind, definition as JobDefinition<unknown>)
    },
    every(name, seconds, kind, { offsetSeconds } = {}) {
      assertNew(recurring, name)
      if (!Number.isSafeInteger(seconds) || seconds < 1)
        throw new RangeError('the period must be a whole number of seconds, at least 1')
      recurring.set(name, { name, seconds, kind: definitionOf(kind).kind, offsetSeconds })
    },
    lanes() {
      const kinds = Map.groupBy(definitions.values(), ({ queue }) => queue ?? DEFAULT_QUEUE)
      return [...kinds].map(([queue, each]) => ({ queue, kinds: each.map(({ kind }) => kind) }))
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
