import { type Clock, systemClock, type Timer } from '../infra/clock/index.ts'

/** A clock that goes by another one, the system's at first. */
export type ChangeableClock = Clock & {
  /** Goes by another clock from now on. Pending timers become due after the time that was left to them. */
  change(clock: Clock): void
}

type Pending = { fn: () => void; dueMs: number; timer?: Timer }

/** Makes a clock for a server that several tests use one after another, each with its own clock. */
export function changeableClock(): ChangeableClock {
  let current = systemClock
  const pending = new Set<Pending>()

  function arm(entry: Pending): void {
    entry.timer = current.setTimer(() => {
      pending.delete(entry)
      entry.fn()
    }, entry.dueMs - current.now().getTime())
  }

  return {
    now: () => current.now(),
    setTimer(fn, delayMs) {
      const entry: Pending = { fn, dueMs: current.now().getTime() + delayMs }
      pending.add(entry)
      arm(entry)
      return {
        cancel() {
          entry.timer?.cancel()
          pending.delete(entry)
        },
      }
    },
    change(clock) {
      const aheadMs = clock.now().getTime() - current.now().getTime()
      current = clock
      for (const entry of pending) {
        entry.timer?.cancel()
        entry.dueMs += aheadMs
        arm(entry)
      }
    },
  }
}
