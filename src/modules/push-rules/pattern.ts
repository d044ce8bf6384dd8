import { setImmediate as nextTurn } from 'node:timers/promises'
import { RE2JS } from 're2js'

/** A push that cannot be checked as a whole; the sentence says why. It is refused: what was not looked at must not get in. */
export class Uncheckable extends Error {
  readonly sentence: string

  constructor(sentence: string) {
    super(sentence)
    this.name = 'Uncheckable'
    this.sentence = sentence
  }
}

/** In characters. */
const longestPattern = 1_000
/** In instructions; a match takes at most as many steps per character as there are. */
const largestProgram = 2_000
/** Steps that one match may take: well below a tenth of a second. */
const stepsAtOnce = 2_000_000
/** Steps that a whole push may take. */
const stepsPerPush = 2_000_000_000
/** After so many steps others have their turn. */
const stepsPerTurn = 1_000_000

/** What is wrong with a pattern that is to be stored; null when nothing is. Blank asks nothing. */
export function patternProblem(pattern: string): string | null {
  if (pattern.length > longestPattern) return `is too long (maximum is ${longestPattern} characters)`
  if (pattern.trim() === '') return null
  try {
    return RE2JS.compile(pattern).programSize() > largestProgram ? 'is too complex' : null
  } catch {
    return 'is not a valid regexp'
  }
}

/** Regular expressions of one push, with the time that they may take together. */
export type Patterns = {
  /**
   * Whether the pattern is found in the text; `multiline` lets `^` and `$` match at the lines' ends.
   * @param what names the text in the sentence when it is too long
   * @throws Uncheckable when it would take too long
   */
  finds(pattern: string, text: string, options: { what: string; multiline?: boolean }): Promise<boolean>
}

/** Matches RE2 alone, whose time is linear; and linear is bounded too, because one process serves everybody. */
export function createPatterns(): Patterns {
  const compiled = new Map<string, RE2JS>()
  let steps = 0
  let stepsOfTurn = 0

  function compile(pattern: string, multiline: boolean): RE2JS {
    const key = `${multiline ? 'm' : 's'}${pattern}`
    const known = compiled.get(key) ?? RE2JS.compile(pattern, multiline ? RE2JS.MULTILINE : 0)
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
      stepsOfTurn += needed
      if (stepsOfTurn > stepsPerTurn) {
        stepsOfTurn = 0
        await nextTurn()
      }
      return expression.matcher(text).find()
    },
  }
}

/** A push of more than is looked at. */
export function tooMuch(): Uncheckable {
  return new Uncheckable('The push is too large to be checked against the push rules. Push fewer commits at a time.')
}
