import { compileBounded, type Regex } from '../../../infra/regex/index.ts'

/** In characters. */
export const longestPattern = 100

/** Compiles the pattern of a rule, which is found anywhere in the names of tags. @throws PatternError */
export const compileTagPattern = (pattern: string): Regex => compileBounded(pattern, longestPattern)
