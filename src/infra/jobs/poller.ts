import type { Clock, Timer } from '../clock/index.ts'

/** How long a job that this process was not told of may wait for it. */
const POLL_MS = 1000

/** Looks again and again. */
export interface Poller {
  /** Looks now, and from then on each second after the last look has ended. */
  start(): Promise<void>
  /** Looks no more; resolves when the last look has ended. */
  stop(): Promise<void>
}

/** @param look never rejects */
export function createPoller(clock: Clock, look: () => Promise<void>): Poller {
  let isStarted = false
  let looking: Promise<void> = Promise.resolve()
  let timer: Timer | undefined

  async function lookAndArm(): Promise<void> {
    await look()
    if (!isStarted) return
    timer = clock.setTimer(() => {
      looking = lookAndArm()
    }, POLL_MS)
  }

  return {
    start() {
      isStarted = true
      looking = lookAndArm()
      return looking
    },
    stop() {
      isStarted = false
      timer?.cancel()
      return looking
    },
  }
}
