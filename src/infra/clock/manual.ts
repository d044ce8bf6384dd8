import type { Clock, Timer } from './system.ts'

/** A clock that only `advance` moves. */
export interface ManualClock extends Clock {
  /**
   * Moves the time forward and fires the timers that become due, ordered by due time, then by creation. While a timer fires,
   * `now()` is its due time. Timers that are set during the call fire as well when they are due before its end. An exception
   * in a timer leaves the clock at the due time of that timer.
   * @throws RangeError for a negative span
   */
  advance(ms: number): void
  /** Number of pending timers. */
  readonly pendingTimers: number
}

/**
 * Creates a manual clock.
 * @param start initial time: a Date or an ISO 8601 string
 */
export function manualClock({ start }: { start: Date | string }): ManualClock {
  let nowMs = new Date(start).getTime()
  if (Number.isNaN(nowMs)) throw new RangeError('the start of the clock is not a valid date')
  let armed: { dueMs: number; fn: () => void }[] = []
  return {
    now: () => new Date(nowMs),
    setTimer(fn, delayMs): Timer {
      // At least 1 ms, like timers of Node: a timer that sets itself again cannot loop forever.
      const timer = { dueMs: nowMs + Math.max(1, delayMs), fn }
      armed.push(timer)
      return {
        cancel() {
          armed = armed.filter((each) => each !== timer)
        },
      }
    },
    advance(ms) {
      if (!(ms >= 0)) throw new RangeError('a clock cannot be moved backwards')
      const endMs = nowMs + ms
      for (let next = earliest(armed, endMs); next; next = earliest(armed, endMs)) {
        const due = next
        armed = armed.filter((each) => each !== due)
        nowMs = due.dueMs
        due.fn()
      }
      nowMs = endMs
    },
    get pendingTimers() {
      return armed.length
    },
  }
}

function earliest<T extends { dueMs: number }>(timers: readonly T[], endMs: number): T | undefined {
  let first: T | undefined
  for (const timer of timers) if (timer.dueMs <= endMs && (!first || timer.dueMs < first.dueMs)) first = timer
  return first
}
