import type { Clock, Timer } from '../../clock/index.ts'

/** Time between two polls, unless the last one said otherwise. */
const POLL_MS = 1000

/** Longest time between two polls after failures. */
const LONGEST_MS = 10_000

/** Calls a function periodically. */
interface Poller {
  /** Polls now, and then again some time after each poll has ended. */
  start(): Promise<void>
  /** Polls at a time, unless it polls before. @param atMs in milliseconds since 1970 */
  pollAt(atMs: number): void
  /** Stops polling; resolves when the current poll has ended. */
  stop(): Promise<void>
}

/** What to poll, and what to do with errors. */
interface PollerOptions {
  clock: Clock
  /** @returns the time until the next poll; undefined: one second */
  poll(): Promise<number | undefined>
  /** Called when a poll failed. Each failure in a row doubles the time until the next poll, up to 10 seconds. */
  onError(error: unknown): void
}

/** Creates a poller that is not started yet. */
export function createPoller({ clock, poll, onError }: PollerOptions): Poller {
  let isStarted = false
  let failures = 0
  let polling: Promise<void> = Promise.resolve()
  let next: { timer: Timer; atMs: number } | undefined

  function schedule(delayMs: number): void {
    next?.timer.cancel()
    const run = () => {
      next = undefined
      polling = pollAndSchedule()
    }
    next = { timer: clock.setTimer(run, delayMs), atMs: clock.now().getTime() + delayMs }
  }

  async function pollAndSchedule(): Promise<void> {
    let delayMs: number | undefined
    try {
      delayMs = await poll()
      failures = 0
    } catch (error) {
      failures += 1
      onError(error)
    }
    if (isStarted) schedule(failures === 0 ? (delayMs ?? POLL_MS) : Math.min(POLL_MS * 2 ** failures, LONGEST_MS))
  }

  return {
    start() {
      isStarted = true
      polling = pollAndSchedule()
      return polling
    },
    pollAt(atMs) {
      // While a poll runs, none is scheduled; what is due soon after it waits for the one that follows.
      if (next && failures === 0 && atMs < next.atMs) schedule(Math.max(0, atMs - clock.now().getTime()))
    },
    stop() {
      isStarted = false
      next?.timer.cancel()
      return polling
    },
  }
}
