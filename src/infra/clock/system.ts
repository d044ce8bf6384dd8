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
