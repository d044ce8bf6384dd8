import { type Clock, systemClock } from '../../infra/clock/index.ts'

/** A clock that stands still between two steps. */
export type DemoClock = Clock & {
  /** Goes on to a moment; one that has passed leaves the clock as it is. @param ms since 1970 */
  moveTo(ms: number): void
  /** Goes on by a time. */
  pass(ms: number): void
}

/** What a server does once a second or less often: looking whether sweeps, packing of repositories or expiries are due. */
const rareMs = 1000
const never = { cancel() {} }

/**
 * A clock that only the steps move, so that what is made has the same times in each run. Short timers are those of the machine: work
 * that was begun goes on while the clock stands still. Longer ones do not fire: after each jump of days every kind of rare work would be
 * due, which the server that serves the demo does once.
 * @param startMs since 1970
 */
export function demoClock(startMs: number): DemoClock {
  let nowMs = startMs
  return {
    now: () => new Date(nowMs),
    setTimer: (fn, delayMs) => (delayMs < rareMs ? systemClock.setTimer(fn, delayMs) : never),
    moveTo(ms) {
      nowMs = Math.max(nowMs, ms)
    },
    pass(ms) {
      nowMs += ms
    },
  }
}
