import { setImmediate as nextTick } from 'node:timers/promises'
import type { Regex } from '../../../infra/regex/index.ts'

/** The number of steps between two yields to the event loop. */
const stepsPerSlice = 1_000_000

/** Matches names as a whole, and yields to the event loop in between: RE2 takes linear time, but one process serves all. */
export function fullMatcher(): (pattern: Regex, name: string) => Promise<boolean> {
  let steps = 0
  return async (pattern, name) => {
    steps += pattern.programSize() * (name.length + 1)
    if (steps >= stepsPerSlice) {
      steps = 0
      await nextTick()
    }
    return pattern.matches(name)
  }
}
