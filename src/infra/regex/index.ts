/** Regular expressions of users: RE2, which matches in linear time. */
import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'

/** A compiled expression. `programSize()` is its number of instructions, the steps of a match per character at most. */
export type Regex = RE2JS

/** Loaded with the first expression: the package is 260 KB of code. */
const load = () => (createRequire(import.meta.url)('re2js') as typeof import('re2js')).RE2JS

type Flags = {
  /** `^` and `$` match at line ends. */
  multiline?: boolean
  ignoreCase?: boolean
  /** `.` matches line ends. */
  dotAll?: boolean
}

/** Compiles an expression. @throws Error when it is not valid RE2 */
export function compileRegex(pattern: string, { multiline, ignoreCase, dotAll }: Flags = {}): Regex {
  const re2 = load()
  const flags = (multiline ? re2.MULTILINE : 0) | (ignoreCase ? re2.CASE_INSENSITIVE : 0) | (dotAll ? re2.DOTALL : 0)
  return re2.compile(pattern, flags)
}

/** A text is not an RE2 pattern, or too large. `message` is the reason in the words of RE2. */
export class PatternError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'PatternError'
  }
}

/** In instructions; a match takes at most as many steps per character as there are. */
const largestProgram = 5000

/** The reason without what the library says before it. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/^error parsing regexp: /, '')
}

/**
 * Compiles an expression whose size is bounded, because RE2 takes time in proportion to it.
 * @param longest in characters
 * @throws PatternError
 */
export function compileBounded(pattern: string, longest: number): Regex {
  if ([...pattern].length > longest) throw new PatternError(`pattern too long (maximum is ${longest})`)
  let compiled: Regex
  try {
    compiled = compileRegex(pattern)
  } catch (error) {
    throw new PatternError(reasonOf(error))
  }
  if (compiled.programSize() > largestProgram) throw new PatternError('pattern too large - compile failed')
  return compiled
}

/** The expression that matches exactly this text. */
export function quoteRegex(text: string): string {
  return load().quote(text)
}
