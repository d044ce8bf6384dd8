import { compileBounded, type Regex } from '../../../infra/regex/index.ts'

/** In characters. */
export const longestCleanupPattern = 2048

/** Compiles a pattern for names of image tags, of a policy or a request (contract 02 R7). @throws PatternError */
export const compileCleanupPattern = (text: string): Regex => compileBounded(text, longestCleanupPattern)
