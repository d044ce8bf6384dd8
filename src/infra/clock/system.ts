/** A pending call; cancelling one that has fired does nothing. */
export interface Timer {
  cancel(): void
}

/** Time as an argument (design §1.10): a module that needs the time takes a clock, and a test drives it. */
export interface Clock {
  now(): Date
  /**
   * Calls `fn` once, not before `delayMs` milliseconds have passed (at least one).
   * A timer never keeps the process alive on its own.
   */
  setTimer(fn: () => void, delayMs: number): Timer
}

// Node fires longer timers at once.
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  setTimer(fn, delayMs) {
    let handle: NodeJS.Timeout
    const arm = (remainingMs: number): void => {
      const stepMs = Math.min(remainingMs, MAX_TIMEOUT_MS)
      handle = setTimeout(() => (remainingMs > stepMs ? arm(remainingMs - stepMs) : fn()), stepMs)
      handle.unref()
    }
    arm(delayMs)
    return { cancel: () => clearTimeout(handle) }
  },
}
