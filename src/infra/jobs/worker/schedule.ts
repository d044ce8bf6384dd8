import type { RawBuilder } from 'kysely'
import type { Clock } from '../../clock/index.ts'
import type { Database } from '../../database/index.ts'
import type { Registry } from '../registry.ts'
import { hastenJob, insertJob, recallJobs, recallTimes } from '../store.ts'
import type { JobDefinition, Period } from '../types.ts'
import { claimRecurring, type Due, dueAfterMs, dueRecurring, SKEW_MS, trueAmong } from './recurring.ts'
import type { RunnerOptions } from './runner.ts'

/** Time after which the due times are read again, although none is near. */
const LOOK_MS = 60_000

/** The due times of recurring jobs, as read last. */
export interface Schedule {
  /** Enqueues the recurring jobs that are due. Makes no query before the next due time. @param isForced makes one */
  fire(options?: { isForced?: boolean }): Promise<void>
  /** When to look again, in milliseconds since 1970. */
  nextMs(): number
  /** Reads the due times again at the next call: they were changed. */
  forget(): void
}

/** Creates the schedule of one process. */
export function createSchedule(
  { definitions, periods, newJob }: Registry,
  { database, clock, leaseMs, log }: { database: Database; clock: Clock; leaseMs: number; log: RunnerOptions['log'] },
): Schedule {
  let lookedMs = Number.NEGATIVE_INFINITY
  let nextMs = Number.NEGATIVE_INFINITY

  /** After the clock was put back, in this process or before its start. */
  async function recall(nowMs: number): Promise<void> {
    const isoOf = (ms: number) => new Date(ms).toISOString()
    const longestLease = isoOf(nowMs + leaseMs + SKEW_MS)
    await database.write((tx) => recallJobs(tx, { now: isoOf(nowMs), ahead: isoOf(nowMs + SKEW_MS), longestLease }))
    for (const definition of definitions.values()) {
      // What cannot be put back keeps no job from running.
      await recallFor(definition, nowMs).catch((error) => {
        log.error({ err: error, kind: definition.kind }, 'times that a clock ahead has set could not be put back')
      })
    }
  }

  async function recallFor({ times = [], recall: recallOthers }: JobDefinition<unknown>, nowMs: number): Promise<void> {
    for (const time of times) await database.write((tx) => recallTimes(tx, time, { nowMs, skewMs: SKEW_MS }))
    await recallOthers?.()
  }

  /** Those of the recurring jobs that have something to do. */
  async function withWork(due: readonly Due[]): Promise<Set<string>> {
    const conditions = new Map<string, RawBuilder<boolean>>()
    for (const { name } of due) {
      const condition = definitions.get(name)?.when?.()
      if (condition) conditions.set(name, condition)
    }
    const found = await trueAmong(database.read, conditions)
    return new Set(due.flatMap(({ name }) => (conditions.has(name) && !found.has(name) ? [] : name)))
  }

  /** Claims due times, and enqueues the jobs that have something to do. */
  async function claim(due: readonly (Due & { period: Period })[], now: Date): Promise<void> {
    const wanted = await withWork(due)
    await database.write(async (tx) => {
      for (const one of due) {
        const isMine = await claimRecurring(tx, one, one.period, now.getTime())
        if (!isMine || !wanted.has(one.name)) continue
        const job = newJob(one.name, null, { uniqueKey: `recurring:${one.name}` }, now)
        if ((await insertJob(tx, job)) === null) await hastenJob(tx, job)
      }
    })
  }

  /** Enqueues those that are due, in one transaction with the claims of their due times. */
  async function look(now: Date): Promise<void> {
    if (lookedMs === Number.NEGATIVE_INFINITY || now.getTime() < lookedMs) await recall(now.getTime())
    const { due, nextMs: earliestMs } = await dueRecurring(database.read, now.getTime())
    const known = due.flatMap((one) => {
      const period = periods.get(one.name)
      return period ? [{ ...one, period }] : []
    })
    if (known.length > 0) await claim(known, now)
    const followingMs = known.map((one) => dueAfterMs(one.period, Date.parse(one.next_run_at), now.getTime()))
    lookedMs = now.getTime()
    nextMs = Math.min(earliestMs, now.getTime() + LOOK_MS, ...followingMs)
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
