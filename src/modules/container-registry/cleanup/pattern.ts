import { setImmediate as nextTick } from 'node:timers/promises'
import { RE2JS } from 're2js'

/** In characters. */
const longestPattern = 2048
/** In instructions; a match takes at most as many steps per character as there are. */
const largestProgram = 5000
/** The number of steps between two yields to the event loop. */
const stepsPerSlice = 1_000_000

/** A text is not an RE2 pattern, or too large. `message` is the reason in the words of RE2. */
export class PatternError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'PatternError'
  }
}

/**
 * Compiles a pattern for names of tags (contract 02 R7).
 * @throws PatternError
 */
export function compilePattern(text: string): RE2JS {
  if ([...text].length > longestPattern) throw new PatternError(`pattern too long (maximum is ${longestPattern})`)
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(text)
  } catch (error) {
    throw new PatternError(reasonOf(error))
  }
  if (compiled.programSize() > largestProgram) throw new PatternError('pattern too large - compile failed')
  return compiled
}

/** The reason without what the library says before it. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/^error parsing regexp: /, '')
}

/** Matches names as a whole, and yields to the event loop in between: RE2 takes linear time, but one process serves all. */
export function fullMatcher(): (pattern: RE2JS, name: string) => Promise<boolean> {
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
