/** A pending timer. */
export interface Timer {
  /** Cancels the timer; no effect after it has fired. */
  cancel(): void
}

/** The source of time (design §1.10). Tests replace it by a manual clock. */
export interface Clock {
  /** The current time. */
  now(): Date
  /**
   * Calls `fn` once, after at least `delayMs` milliseconds (minimum 1). A timer does not keep the process alive.
   */
  setTimer(fn: () => void, delayMs: number): Timer
}

/** Node fires longer timers immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  setTimer(fn, delayMs) {
    let handle: NodeJS.Timeout
    const arm = (remainingMs: number): void => {
      const stepMs = Math.min(remainingMs, MAX_TIMEOUT_MS)
      handle = setTimeout(() => (remainingMs > stepMs ? arm(remainingMs - stepMs) : fn()), stepMs)
      handle.unref()
    }
    arm(Math.max(1, delayMs))
    return { cancel: () => clearTimeout(handle) }
  },
}

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
