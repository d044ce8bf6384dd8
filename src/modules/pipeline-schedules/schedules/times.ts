import { nextInstant, parseCron, timeZoneOf } from '../../../infra/cron/index.ts'

/** When a schedule runs next, after a moment; null when expression or time zone are invalid. */
export function nextRunAt(cron: string, timeZone: string, after: Date): string | null {
  const [parsed, zone] = [parseCron(cron), timeZoneOf(timeZone)]
  const next = parsed && zone ? nextInstant(parsed, zone, after.getTime()) : null
  return next === null ? null : new Date(next).toISOString()
}

/** What is wrong with expression and time zone, by field; the texts begin with a space (contract 04, 2.14). */
export function timeProblems(cron: string, timeZone: string): Record<string, string[]> {
  const invalid = [' is invalid syntax']
  const zone = timeZone.trim() === '' ? ["can't be blank"] : timeZoneOf(timeZone) === null ? invalid : null
  return { ...(parseCron(cron) ? {} : { cron: invalid }), ...(zone ? { cron_timezone: zone } : {}) }
}
