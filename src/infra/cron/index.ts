import { isPossible } from './next.ts'
import { type Cron, parseFields } from './parse.ts'

/** Cron expressions and time zones. */
export { nextInstant } from './next.ts'
export { timeZoneOf } from './zones.ts'

/** Parses an expression. @returns null when its syntax is invalid, or no date matches it */
export function parseCron(text: string): Cron | null {
  const cron = parseFields(text)
  return cron && isPossible(cron) ? cron : null
}
