import { setImmediate as nextTick } from 'node:timers/promises'
import { compileRegex, type Regex } from '../../infra/regex/index.ts'

/** The push cannot be checked completely, so it is refused. */
export class Uncheckable extends Error {
  override name = 'Uncheckable'
}

/** In characters. */
const longestPattern = 1_000
/** In instructions; a match takes at most as many steps per character as there are. */
const largestProgram = 2_000
/** The maximal number of steps of one match: well below a tenth of a second. */
const stepsAtOnce = 2_000_000
/** The maximal number of steps of a push. */
const stepsPerPush = 2_000_000_000
/** The number of steps between two yields to the event loop. */
const stepsPerSlice = 1_000_000

/** Validates a pattern before it is stored. @returns the problem, or null; a blank pattern is valid and unused */
export function patternProblem(pattern: string): string | null {
  if (pattern.length > longestPattern) return `is too long (maximum is ${longestPattern} characters)`
  if (pattern.trim() === '') return null
  try {
    return compileRegex(pattern).programSize() > largestProgram ? 'is too complex' : null
  } catch {
    return 'is not a valid regexp'
  }
}

/** Matches the regular expressions of one push within a limit of steps. */
export type Patterns = {
  /**
   * Whether the pattern is found in the text. With `multiline`, `^` and `$` match at line ends.
   * @param options.what the name of the text in the refusal
   * @throws Uncheckable when it would take too long
   */
  finds(pattern: string, text: string, options: { what: string; multiline?: boolean }): Promise<boolean>
}

/** RE2 takes linear time; the limits bound it, because one process serves all requests. */
export function createPatterns(): Patterns {
  const compiled = new Map<string, Regex>()
  let steps = 0
  let stepsOfSlice = 0

  function compile(pattern: string, multiline: boolean): Regex {
    const key = `${multiline ? 'm' : 's'}${pattern}`
    const known = compiled.get(key) ?? compileRegex(pattern, { multiline })
    compiled.set(key, known)
    return known
  }

  return {
    async finds(pattern, text, { what, multiline = false }) {
      const expression = compile(pattern, multiline)
      const needed = expression.programSize() * (text.length + 1)
      if (needed > stepsAtOnce)
        throw new Uncheckable(`${what} is too long to be checked against the pattern '${pattern}'`)
      steps += needed
      if (steps > stepsPerPush) throw tooMuch()
      stepsOfSlice += needed
      if (stepsOfSlice > stepsPerSlice) {
        stepsOfSlice = 0
        await nextTick()
      }
      return expression.matcher(text).find()
    },
  }
}

/** The push is larger than what is checked. */
export function tooMuch(): Uncheckable {
  return new Uncheckable('The push is too large to be checked against the push rules. Push fewer commits at a time.')
}
