import type { Clock } from '../../clock/index.ts'
import type { Database } from '../../database/index.ts'
import type { Registry } from '../registry.ts'
import { hastenJob, insertJob, recallJobs } from '../store.ts'
import { claimRecurring, dueAfterMs, dueRecurring, SKEW_MS } from './recurring.ts'

/** Time after which the due times are read again, although none is near. */
const LOOK_MS = 60_000

/** The due times of recurring jobs, as read last. */
interface Schedule {
  /** Enqueues the recurring jobs that are due. Makes no query before the next due time. @param isForced makes one */
  fire(options?: { isForced?: boolean }): Promise<void>
  /** When to look again, in milliseconds since 1970. */
  nextMs(): number
  /** Reads the due times again at the next call: they were changed. */
  forget(): void
}

/** Creates the schedule of one process. */
export function createSchedule(
  { periods, newJob }: Registry,
  { database, clock, leaseMs }: { database: Database; clock: Clock; leaseMs: number },
): Schedule {
  let lookedMs = Number.NEGATIVE_INFINITY
  let nextMs = Number.NEGATIVE_INFINITY

  /** After the clock was put back, in this process or before its start. */
  function recall(nowMs: number): Promise<void> {
    const isoOf = (ms: number) => new Date(ms).toISOString()
    const longestLease = isoOf(nowMs + leaseMs + SKEW_MS)
    return database.write((tx) => recallJobs(tx, { now: isoOf(nowMs), ahead: isoOf(nowMs + SKEW_MS), longestLease }))
  }

  /** Enqueues those that are due, each in one transaction with the claim of its due time. */
  async function look(now: Date): Promise<void> {
    if (lookedMs === Number.NEGATIVE_INFINITY || now.getTime() < lookedMs) await recall(now.getTime())
    const { due, nextMs: earliestMs } = await dueRecurring(database.read, now.getTime())
    let next = Math.min(earliestMs, now.getTime() + LOOK_MS)
    for (const one of due) {
      const period = periods.get(one.name)
      if (!period) continue
      next = Math.min(next, dueAfterMs(period, Date.parse(one.next_run_at), now.getTime()))
      const job = newJob(one.name, null, { uniqueKey: `recurring:${one.name}` }, now)
      await database.write(async (tx) => {
        if (!(await claimRecurring(tx, one, period, now.getTime()))) return
        if ((await insertJob(tx, job)) === null) await hastenJob(tx, job)
      })
    }
    lookedMs = now.getTime()
    nextMs = next
  }

  return {
    async fire({ isForced = false } = {}) {
      if (periods.size === 0) return
      const now = clock.now()
      // A clock that was put back is before the last look.
      const isDue = now.getTime() >= nextMs || now.getTime() < lookedMs
      if (isDue || isForced) await look(now)
    },
    forget() {
      nextMs = Number.NEGATIVE_INFINITY
    },
    nextMs: () => (periods.size === 0 ? Number.POSITIVE_INFINITY : nextMs),
  }
}
