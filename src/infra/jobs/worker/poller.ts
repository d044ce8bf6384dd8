import type { Clock, Timer } from '../../clock/index.ts'

/** Time between two polls: the longest delay for a job that another process enqueued. */
const POLL_MS = 1000

/** Longest time between two polls after failures. */
const LONGEST_MS = 10_000

/** Calls a function periodically. */
interface Poller {
  /** Polls now, and then one second after each poll has ended. */
  start(): Promise<void>
  /** Stops polling; resolves when the current poll has ended. */
  stop(): Promise<void>
}

/** What to poll, and what to do with errors. */
interface PollerOptions {
  clock: Clock
  poll(): Promise<void>
  /** Called when a poll failed. Each failure in a row doubles the time until the next poll, up to 10 seconds. */
  onError(error: unknown): void
}

/** Creates a poller that is not started yet. */
export function createPoller({ clock, poll, onError }: PollerOptions): Poller {
  let isStarted = false
  let failures = 0
  let polling: Promise<void> = Promise.resolve()
  let timer: Timer | undefined

  async function pollAndSchedule(): Promise<void> {
    try {
      await poll()
      failures = 0
    } catch (error) {
      failures += 1
      onError(error)
    }
    if (!isStarted) return
    timer = clock.setTimer(
      () => {
        polling = pollAndSchedule()
      },
      Math.min(POLL_MS * 2 ** failures, LONGEST_MS),
    )
  }

  return {
    start() {
      isStarted = true
      polling = pollAndSchedule()
      return polling
    },
    stop() {
      isStarted = false
      timer?.cancel()
      return polling
    },
  }
}
