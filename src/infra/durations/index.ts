/** Durations in words, such as `2h 30 minutes`. */
export { parseDuration } from './duration.ts'
