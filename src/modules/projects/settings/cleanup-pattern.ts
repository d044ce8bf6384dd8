import { compileRegex, type Regex } from '../../../infra/regex/index.ts'

/** In characters. */
export const longestCleanupPattern = 2048
/** In instructions; a match takes at most as many steps per character as there are. */
const largestProgram = 5000

/** A text is not an RE2 pattern, or too large. `message` is the reason in the words of RE2. */
export class PatternError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'PatternError'
  }
}

/** The reason without what the library says before it. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/^error parsing regexp: /, '')
}

/**
 * Compiles a pattern for names of image tags, of a policy or a request (contract 02 R7). Its size is bounded, because RE2
 * takes time in proportion to it.
 * @throws PatternError
 */
export function compileCleanupPattern(text: string): Regex {
  if ([...text].length > longestCleanupPattern) {
    throw new PatternError(`pattern too long (maximum is ${longestCleanupPattern})`)
  }
  let compiled: Regex
  try {
    compiled = compileRegex(text)
  } catch (error) {
    throw new PatternError(reasonOf(error))
  }
  if (compiled.programSize() > largestProgram) throw new PatternError('pattern too large - compile failed')
  return compiled
}
