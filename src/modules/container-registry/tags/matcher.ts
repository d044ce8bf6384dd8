import { setImmediate as nextTick } from 'node:timers/promises'
import type { Regex } from '../../../infra/regex/index.ts'

/** The number of steps between two yields to the event loop. */
const stepsPerSlice = 1_000_000

type Matcher = (pattern: Regex, name: string) => Promise<boolean>

/** Yields to the event loop between matches: RE2 takes linear time, but one process serves all. */
function paced(matches: (pattern: Regex, name: string) => boolean): Matcher {
  let steps = 0
  return async (pattern, name) => {
    steps += pattern.programSize() * (name.length + 1)
    if (steps >= stepsPerSlice) {
      steps = 0
      await nextTick()
    }
    return matches(pattern, name)
  }
}

/** Matches names as a whole. */
export const fullMatcher = () => paced((pattern, name) => pattern.matches(name))

/** Finds patterns anywhere in names. */
export const partMatcher = () => paced((pattern, name) => pattern.test(name))
