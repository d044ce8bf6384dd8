import type { Clock, Timer } from './system.ts'

/** A clock that stands still until it is told to move. */
export interface ManualClock extends Clock {
  /**
   * Moves the time forward and fires what falls due, in order of due time, then of arming; while a timer fires, `now()`
   * is its due time. Timers armed meanwhile fire too when they fall due within the span. An exception of a timer
   * leaves the clock at that timer's time.
   * @throws RangeError for a negative span
   */
  advance(ms: number): void
  /** Number of timers that wait. */
  readonly pendingTimers: number
}

/** @param start the first `now()`: a Date or ISO 8601 text */
export function manualClock({ start }: { start: Date | string }): ManualClock {
  let nowMs = new Date(start).getTime()
  if (Number.isNaN(nowMs)) throw new RangeError('the start of a clock must be a date')
  let armed: { dueMs: number; fn: () => void }[] = []
  return {
    now: () => new Date(nowMs),
    setTimer(fn, delayMs): Timer {
      // At least 1 ms, as Node's own timers: so a timer that arms itself again cannot hold the clock in place.
      const timer = { dueMs: nowMs + Math.max(1, delayMs), fn }
      armed.push(timer)
      return {
        cancel() {
          armed = armed.filter((each) => each !== timer)
        },
      }
    },
    advance(ms) {
      if (!(ms >= 0)) throw new RangeError('time does not run backwards')
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
