import { setImmediate as nextTick } from 'node:timers/promises'

/** The push is too large to be compared with `CODEOWNERS`. It is refused, because unchecked files must not get in. */
export class TooMuchEffort extends Error {
  constructor() {
    super(
      'The push is too large to be checked against `CODEOWNERS`. Push fewer changes at a time, or simplify the file.',
    )
    this.name = 'TooMuchEffort'
  }
}

/** The maximal number of steps for one push: some seconds. */
const stepsPerPush = 500_000_000
/** The maximal number of steps between two pauses, enough for one comparison: well below a tenth of a second. */
const stepsAtOnce = 2_000_000
/** The time between two yields to the event loop. */
const sliceMs = 10

/** Limits the work for one push, whatever the number of its branches, files and patterns. */
export type Effort = {
  /** Counts steps. @throws TooMuchEffort when a limit is passed */
  spend(steps: number): void
  /** Ends a comparison. @returns a promise that yields to the event loop when it is time, else undefined */
  pause(): Promise<void> | undefined
}

export function createEffort({ inAll = stepsPerPush, atOnce = stepsAtOnce } = {}): Effort {
  let [total, current, sliceStart] = [0, 0, performance.now()]
  async function yieldToOthers(): Promise<void> {
    await nextTick()
    sliceStart = performance.now()
  }
  return {
    spend(steps) {
      current += steps
      total += steps
      if (current > atOnce || total > inAll) throw new TooMuchEffort()
    },
    pause() {
      current = 0
      return performance.now() - sliceStart < sliceMs ? undefined : yieldToOthers()
    },
  }
}
