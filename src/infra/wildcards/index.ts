/** Patterns in which `*` is any text. */
export { wildcardMatcher } from './wildcard.ts'
